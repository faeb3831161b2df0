// SPDX-License-Identifier: Apache-2.0
#include "report/compare/process_drift.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/statistics.h"
#include "report/compare/student.h"

namespace spb::report {

std::vector<double> common_drifts(std::span<const ProcessTimes> processes) {
  std::vector<std::vector<double>> drifts(processes.size());
  if (processes.empty()) return {};
  for (const auto& [row, time] : processes.front()) {
    std::vector<double> logarithms;
    for (const ProcessTimes& process : processes)
      if (const auto found = process.find(row); found != process.end() && found->second > 0)
        logarithms.push_back(std::log(found->second));
    if (logarithms.size() != processes.size()) continue;
    double mean = 0;
    for (const double one : logarithms) mean += one / static_cast<double>(processes.size());
    for (size_t i = 0; i < processes.size(); ++i) drifts[i].push_back(logarithms[i] - mean);
  }
  if (drifts.front().empty()) return {};
  std::vector<double> common;
  for (std::vector<double>& of_process : drifts) common.push_back(median(std::move(of_process)));
  return common;
}

double ProcessDrift::reach(double tail, size_t of_base, size_t of_next) const {
  if (deviation == 0) return 0;
  const double freedom =
      source == Source::measured ? degrees_of_freedom : std::numeric_limits<double>::infinity();
  const double spread =
      std::sqrt(1 / static_cast<double>(of_base) + 1 / static_cast<double>(of_next));
  return deviation * spread * student_reach(tail, freedom);
}

ProcessDrift process_drift(std::span<const ProcessTimes> base, std::span<const ProcessTimes> next,
                           std::optional<double> stated) {
  ProcessDrift drift;
  double squares = 0;
  for (const auto& [processes, count] : {std::pair(base, &drift.base), {next, &drift.next}}) {
    const std::vector<double> common = common_drifts(processes);
    *count = std::max<size_t>(common.size(), 1);
    if (common.size() < 2) continue;
    double mean = 0;
    for (const double one : common) mean += one / static_cast<double>(common.size());
    for (const double one : common) squares += (one - mean) * (one - mean);
    drift.degrees_of_freedom += static_cast<double>(common.size() - 1);
  }
  if (stated) {
    drift.source = ProcessDrift::Source::stated;
    drift.deviation = *stated;
  } else if (drift.degrees_of_freedom > 0) {
    drift.source = ProcessDrift::Source::measured;
    drift.deviation = std::sqrt(squares / drift.degrees_of_freedom);
  }
  return drift;
}

}  // namespace spb::report
