// SPDX-License-Identifier: Apache-2.0
// Files of Linux' amdgpu driver: its hwmon values are documented in the kernel's
// Documentation/gpu/amdgpu/thermal.rst.
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/paths.h"
#include "gpu/amdgpu_metrics.h"
#include "gpu/device_monitor.h"

namespace spb::gpu {
namespace {

namespace fs = std::filesystem;

std::optional<double> number_in(const fs::path& file, double scale) {
  std::ifstream stream(file);
  double value = 0;
  if (!(stream >> value)) return std::nullopt;
  return value * scale;
}

std::string bytes_in(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class Amdgpu final : public DeviceMonitor {
 public:
  Amdgpu(fs::path device, fs::path hwmon)
      : device_(std::move(device)),
        hwmon_(std::move(hwmon)),
        metrics_(bytes_in(device_ / "gpu_metrics")) {}

  DeviceState read() override {
    DeviceState state;
    state.sm_clock_mhz = number_in(hwmon_ / "freq1_input", 1e-6);
    state.mem_clock_mhz = number_in(hwmon_ / "freq2_input", 1e-6);
    state.power_w = number_in(hwmon_ / "power1_average", 1e-6);
    if (!state.power_w) state.power_w = number_in(hwmon_ / "power1_input", 1e-6);
    state.temp_c = number_in(hwmon_ / "temp1_input", 1e-3);
    std::string now = bytes_in(device_ / "gpu_metrics");
    state.reasons = amdgpu_throttle_reasons(metrics_, now);
    metrics_ = std::move(now);
    return state;
  }

 private:
  fs::path device_, hwmon_;
  std::string metrics_;  // as read last: counters are compared with it
};

}  // namespace

OpenedMonitor open_amdgpu(const std::string& uuid, const fs::path& devices) {
  constexpr std::string_view kPrefix = "PCI-";
  const fs::path device =
      devices / (uuid.starts_with(kPrefix) ? uuid.substr(kPrefix.size()) : uuid);
  std::error_code none;
  for (const fs::path& hwmon : entries_of(device / "hwmon", none))
    return {std::make_unique<Amdgpu>(device, hwmon),
            "amdgpu hwmon, " + amdgpu_metrics_name(bytes_in(device / "gpu_metrics"))};
  return {nullptr, "none: " + (device / "hwmon").string() + " is not there"};
}

}  // namespace spb::gpu
