// SPDX-License-Identifier: Apache-2.0
#include "suite/peaks_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "report/records/append_file.h"
#include "suite/build_info.h"
#include "suite/environment.h"
#include "suite/peaks_text.h"
#include "suite/places.h"

namespace spb::suite {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// On host the processor's name stands for the device.
std::string identity(const gpu::DeviceInfo& device) {
  return device.uuid.empty() ? device.name : device.uuid;
}

}  // namespace

fs::path default_peaks_path(const gpu::DeviceInfo& device) {
  return cache_folder() / fmt::format("peaks-{}-{}.json", file_word(identity(device)),
                                      file_word(device.driver_version));
}

void write_peaks(const fs::path& path, const bench::Peaks& peaks, const gpu::DeviceInfo& device) {
  json gather, compute;
  for (const auto& [bytes, gbps] : peaks.gather_gbps) gather[std::to_string(bytes)] = gbps;
  for (const auto& [dtype, peak] : peaks.compute)
    compute[dtype] = {{"gflops", peak.gflops}, {"source", peak.source}};
  const json file = {{"type", "peaks"},
                     {"device", identity(device)},
                     {"gpu_name", device.name},
                     {"driver_version", device.driver_version},
                     {"backend", gpu::backend_name()},
                     {"tool_version", build_info().version},
                     {"git_sha", build_info().git_sha},
                     {"measured_utc", utc_now()},
                     {"copy_gbps", peaks.copy_gbps},
                     {"read_gbps", peaks.read_gbps},
                     {"l2_read_gbps", peaks.l2_read_gbps},
                     {"gather_gbps", gather},
                     {"compute", compute},
                     {"launch_us", peaks.launch_us},
                     {"launch_wait_us", peaks.launch_wait_us}};
  if (!path.parent_path().empty()) {
    std::error_code failed;  // replace_text names the reason
    fs::create_directories(path.parent_path(), failed);
  }
  report::replace_text(path, file.dump(2) + "\n");
}

bench::Peaks read_peaks(const fs::path& path, const gpu::DeviceInfo& device) {
  MeasuredPeaks measured = parse_peaks(report::read_text(path), path.string());
  if (measured.device != identity(device) || measured.driver != device.driver_version)
    throw usage_error(
        path.string(),
        fmt::format("measured on {} with driver {}, not on {} with {}", measured.device,
                    measured.driver, identity(device), device.driver_version),
        "run spconv-bench peaks on this device");
  return std::move(measured.peaks);
}

std::optional<bench::Peaks> find_peaks(const std::string& option, const gpu::DeviceInfo& device) {
  if (option == "off") return std::nullopt;
  if (!option.empty()) return read_peaks(option, device);
  const fs::path path = default_peaks_path(device);
  std::error_code unreadable;  // a cache of somebody else: as good as none
  if (!fs::exists(path, unreadable)) return std::nullopt;
  return read_peaks(path, device);
}

void add_peaks(Record& context, const bench::Peaks& peaks) {
  context.named("peak_copy_gbps") = peaks.copy_gbps;
  context.named("peak_read_gbps") = peaks.read_gbps;
  context.named("peak_l2_read_gbps") = peaks.l2_read_gbps;
  for (const auto& [bytes, gbps] : peaks.gather_gbps)
    context.named(fmt::format("peak_gather_{}_gbps", bytes)) = gbps;
  for (const auto& [dtype, peak] : peaks.compute) {
    context.named("peak_gflops_" + dtype) = peak.gflops;
    context.named("peak_source_" + dtype) = peak.source;
  }
  context.named("launch_us") = peaks.launch_us;
  context.named("launch_wait_us") = peaks.launch_wait_us;
}

}  // namespace spb::suite
