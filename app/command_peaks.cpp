// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <string>

#include "case_options.h"
#include "command.h"
#include "console.h"
#include "gpu/allocator.h"
#include "print_columns.h"
#include "report/text/table_layout.h"
#include "suite/environment.h"
#include "suite/peaks_file.h"

namespace spb::app {
namespace {

struct PeaksOptions {
  std::string device = "0", out;
};

Lines lines_of(const bench::Peaks& peaks) {
  const auto number = [](double value) { return report::three_digits(value); };
  Lines lines{{"limit", "value", "unit", "how"},
              {"copy", number(peaks.copy_gbps), "GB/s", "read and written bytes"},
              {"read", number(peaks.read_gbps), "GB/s", "streaming"},
              {"cache read", number(peaks.l2_read_gbps), "GB/s", "data inside the last cache"}};
  for (const auto& [bytes, gbps] : peaks.gather_gbps)
    lines.push_back({fmt::format("gather {} B", bytes), number(gbps), "GB/s", "random rows"});
  for (const auto& [dtype, peak] : peaks.compute)
    lines.push_back({dtype, number(peak.gflops / 1e3), "TFLOP/s", peak.source});
  lines.push_back({"launch", number(peaks.launch_us), "us", "one empty kernel after another"});
  lines.push_back({"launch, wait", number(peaks.launch_wait_us), "us", "by the host's clock"});
  return lines;
}

ExitCode measure(const PeaksOptions& options) {
  const std::vector<gpu::DeviceInfo> devices = suite::choose_devices(options.device);
  if (devices.size() > 1 && !options.out.empty())
    throw usage_error("--out", "holds the limits of one device",
                      "leave it out: each device has a file of its own");
  for (const gpu::DeviceInfo& device : devices) {
    gpu::use_device(device.index);
    const gpu::Stream stream;
    gpu::Allocator allocator;
    const bench::Peaks peaks = bench::measure_peaks(allocator, stream);
    const std::filesystem::path path = options.out.empty() ? suite::default_peaks_path(device)
                                                           : std::filesystem::path(options.out);
    fmt::print("{}, driver {}\n", device.name, device.driver_version);
    print_columns(lines_of(peaks));
    std::fflush(stdout);  // a full disk must not cost what was measured
    suite::write_peaks(path, peaks, device);
    console().note("wrote " + path.string());
  }
  return ExitCode::ok;
}

}  // namespace

Action declare_peaks(CLI::App& app) {
  auto options = std::make_shared<PeaksOptions>();
  app.add_option("--device", options->device, "index of the device, or all: see list devices [0]")
      ->option_text("N");
  app.add_option("-o,--out", options->out,
                 "file [$XDG_CACHE_HOME or ~/.cache, /spconv-bench/peaks-DEVICE-DRIVER.json]")
      ->option_text("FILE");
  auto console_options = std::make_shared<ConsoleOptions>();
  add_console_options(app, *console_options);
  return [options, console_options](std::span<const Algorithm>) {
    console_options->apply();
    return measure(*options);
  };
}

}  // namespace spb::app
