// SPDX-License-Identifier: Apache-2.0
#include "report/compare/drift_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace spb::report {
namespace {

constexpr const char* kMeasures = "compare --ab OLD NEW -- run ... measures";
constexpr double kFew = 4;  // degrees of freedom: three pairs of --ab

}  // namespace

const char* name(ProcessDrift::Source source) {
  constexpr const char* kNames[] = {"unseen", "stated", "measured"};
  return kNames[static_cast<int>(source)];
}

std::string drift_text(const ProcessDrift& drift) {
  const std::string percent = fmt::format("{:.3g} %", 100 * drift.deviation);
  const std::string within = "one process a side: only drift within a process was seen; ";
  const bool is_one = drift.base == 1 && drift.next == 1;
  switch (drift.source) {
    case ProcessDrift::Source::unseen:
      return fmt::format("{}{} drift between processes, --process-drift states it", within,
                         kMeasures);
    case ProcessDrift::Source::stated:
      if (is_one)
        return fmt::format("{}{} between processes, as stated; {} it", within, percent, kMeasures);
      return fmt::format("drift between processes: {}, as stated", percent);
    case ProcessDrift::Source::measured:
      return fmt::format(
          "drift between processes: {} (standard deviation, {} of BASE and {} of "
          "NEW){}",
          percent, drift.base, drift.next,
          drift.degrees_of_freedom < kFew
              ? "; more processes (--ab --pairs) make intervals narrower"
              : "");
  }
  return {};
}

std::vector<std::string> drift_lines(const Comparison& comparison) {
  std::vector<std::string> lines;
  const bool is_only =
      std::ranges::count_if(comparison.devices, &DeviceComparison::judges_times) == 1;
  for (const DeviceComparison& device : comparison.devices)
    if (device.judges_times())
      lines.push_back((is_only ? "" : device.next_name + ": ") + drift_text(device.drift));
  return lines;
}

}  // namespace spb::report
