// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <ranges>
#include <string>

#include "bench/self_test.h"
#include "case_options.h"
#include "command.h"
#include "console.h"
#include "data/generate.h"
#include "engines/native/native.h"
#include "print_columns.h"
#include "report/compare/bootstrap.h"
#include "run/aa_test.h"
#include "suite/environment.h"

namespace spb::app {
namespace {

using bench::Check;

/// "same" as compare says it: the interval of the ratio lies within 3 %, or holds 1 and is no wider
/// than leaves something to tell apart. Of the last
/// algorithm of the table that takes the problem: it runs the most kernels.
Check aa_check(std::span<const Algorithm> algorithms) {
  constexpr double kSame = 0.03;
  constexpr double kMostDifference = 0.1;  // who sees only larger ones cannot choose
  const Problem problem{.geometry = {}, .c_in = 64, .c_out = 64, .dtype = Dtype::f16};
  const auto takes = [&](const Algorithm& one) { return !one.unsupported(problem); };
  const run::AaTimes times =
      run::aa_test(engines::Native(*std::ranges::find_if(algorithms | std::views::reverse, takes)),
                   problem, data::generate(gpu::on_host() ? "sphere:8" : "sphere:64"));
  const auto interval = report::ratio_interval(times.a, times.b, {});
  const bool same = interval && ((interval->lo <= 1 && interval->hi >= 1) ||
                                 (interval->lo > 1 - kSame && interval->hi < 1 + kSame));
  const bool believable = interval && (interval->hi - interval->lo) / 2 <= kMostDifference;
  if (!interval) return {"a case against itself", Check::Outcome::failed, "no interval"};
  return {
      "a case against itself", same && believable ? Check::Outcome::passed : Check::Outcome::failed,
      fmt::format("ratio {:.4f} to {:.4f}: half its width, {:.2f} %, is the smallest believable "
                  "difference{}",
                  interval->lo, interval->hi, 50 * (interval->hi - interval->lo),
                  believable ? ""
                             : fmt::format("; above {:g} % nothing can be chosen by it, use an "
                                           "idle machine",
                                           100 * kMostDifference))};
}

ExitCode self_test(const std::string& device_option, std::span<const Algorithm> algorithms) {
  bool failed = false;
  for (const gpu::DeviceInfo& device : suite::choose_devices(device_option)) {
    gpu::use_device(device.index);
    const gpu::Stream stream;
    gpu::Allocator allocator;
    const gpu::OpenedMonitor opened = gpu::open_monitor(device.uuid);
    std::vector<Check> checks = bench::self_test(allocator, stream, opened.monitor.get());
    checks.push_back(aa_check(algorithms));
    fmt::print("{}, driver {}, monitor {}\n", device.name, device.driver_version, opened.note);
    Lines lines;
    constexpr const char* kOutcomes[] = {"passed", "FAILED", "skipped"};
    for (const Check& check : checks) {
      lines.push_back({check.name, kOutcomes[static_cast<int>(check.outcome)], check.detail});
      failed |= check.outcome == Check::Outcome::failed;
    }
    print_columns(lines);
  }
  return failed ? ExitCode::runtime : ExitCode::ok;
}

}  // namespace

Action declare_selftest(CLI::App& app) {
  auto device = std::make_shared<std::string>("0");
  app.add_option("--device", *device, "index of the device, or all: see list devices [0]")
      ->option_text("N");
  auto console_options = std::make_shared<ConsoleOptions>();
  add_console_options(app, *console_options);
  return [device, console_options](std::span<const Algorithm> algorithms) {
    console_options->apply();
    return self_test(*device, algorithms);
  };
}

}  // namespace spb::app
