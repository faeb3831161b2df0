// SPDX-License-Identifier: Apache-2.0
#include "report/records/merge_runs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "report/compare/match.h"
#include "report/records/read_samples.h"

namespace spb::report {
namespace {

double pooled_median(const Rounds& rounds) {
  std::vector<double> all;
  for (const auto& round : rounds) all.insert(all.end(), round.begin(), round.end());
  return median(std::move(all));
}

/// Of one row, by run.
using RoundsOfRuns = std::vector<Rounds>;
/// Of the rows that all runs measured, by device and key.
using Measured = std::map<std::string, std::map<std::string, RoundsOfRuns>>;

std::vector<ProcessTimes> medians(const std::map<std::string, RoundsOfRuns>& rows, size_t runs) {
  std::vector<ProcessTimes> medians(runs);
  for (const auto& [key, of_runs] : rows)
    for (size_t run = 0; run < runs; ++run) medians[run].emplace(key, pooled_median(of_runs[run]));
  return medians;
}

/// The rounds of all runs as one list, without what the rows of each have in common.
Rounds pooled(const RoundsOfRuns& of_runs, std::span<const double> drifts) {
  Rounds all;
  for (size_t run = 0; run < of_runs.size(); ++run)
    for (std::vector<double> round : of_runs[run]) {
      for (double& time : round) time *= std::exp(-drifts[run]);
      all.push_back(std::move(round));
    }
  return all;
}

bool is_skipped(const Record& row) { return row.get(columns::status) == Status::skipped; }

}  // namespace

Side merge_runs(std::vector<Side> runs) {
  Side merged;
  std::set<std::string> failed;
  Measured measured;
  for (const Side& run : runs)
    for (const Record& row : run.records.rows) {
      if (is_wrong(row) || is_broken(row)) {
        if (failed.insert(case_name(row)).second) merged.records.rows.push_back(row);
        continue;
      }
      const auto found = run.samples.find(sample_key(row));
      if (found == run.samples.end()) continue;
      measured[device_name(row)][row_key(row)].push_back(found->second);
    }
  std::map<std::string, std::vector<double>> drifts;  // by device, of the runs
  for (auto& [device, rows] : measured) {
    std::erase_if(rows, [&](const auto& row) { return row.second.size() != runs.size(); });
    if (rows.empty()) continue;
    merged.processes[device] = medians(rows, runs.size());
    drifts[device] = common_drifts(merged.processes[device]);
    drifts[device].resize(runs.size());
  }
  std::set<std::string> taken = failed;
  std::set<std::string> ran;  // in any of the runs: elsewhere it may have been skipped
  for (const Side& run : runs)
    for (const Record& row : run.records.rows)
      if (!is_skipped(row)) ran.insert(case_name(row));
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    std::set<std::string> of_run;
    for (Record row : run->records.rows) {
      if (taken.contains(case_name(row)) || (is_skipped(row) && ran.contains(case_name(row))))
        continue;
      of_run.insert(case_name(row));
      const auto& of_device = measured[device_name(row)];
      if (const auto found = of_device.find(row_key(row)); found != of_device.end()) {
        Rounds rounds = pooled(found->second, drifts[device_name(row)]);
        row[columns::time_median_us] = pooled_median(rounds);
        for (const auto& column : {columns::time_ci95_lo_us, columns::time_ci95_hi_us})
          row[column] = std::nullopt;
        row[columns::rounds] = static_cast<int64_t>(rounds.size());
        merged.samples[sample_key(row)] = std::move(rounds);
      }
      merged.records.rows.push_back(std::move(row));
    }
    taken.merge(of_run);
  }
  for (Side& run : runs) {
    std::ranges::move(run.records.notes, std::back_inserter(merged.records.notes));
    std::ranges::move(run.records.files, std::back_inserter(merged.records.files));
  }
  merged.path = runs.front().path;
  return merged;
}

}  // namespace spb::report
