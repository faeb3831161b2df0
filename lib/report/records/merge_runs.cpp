// SPDX-License-Identifier: Apache-2.0
#include "report/records/merge_runs.h"

#include <algorithm>
#include <map>
#include <set>

#include "report/compare/match.h"
#include "report/records/read_samples.h"

namespace spb::report {
namespace {

double pooled_median(const Rounds& rounds) {
  std::vector<double> all;
  for (const auto& round : rounds) all.insert(all.end(), round.begin(), round.end());
  return median(std::move(all));
}

bool is_skipped(const Record& row) { return row.get(columns::status) == Status::skipped; }

}  // namespace

Side merge_runs(std::vector<Side> runs) {
  Side merged;
  std::set<std::string> failed;
  std::map<std::string, Rounds> rounds;    // by key, of all runs
  std::map<std::string, size_t> measured;  // by key: runs that have samples of it
  for (const Side& run : runs)
    for (const Record& row : run.records.rows) {
      if (is_wrong(row) || is_broken(row)) {
        if (failed.insert(case_name(row)).second) merged.records.rows.push_back(row);
        continue;
      }
      const auto found = run.samples.find(sample_key(row));
      if (found == run.samples.end()) continue;
      const std::string key = device_name(row) + row_key(row);
      rounds[key].insert(rounds[key].end(), found->second.begin(), found->second.end());
      ++measured[key];
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
      const std::string key = device_name(row) + row_key(row);
      if (measured[key] == runs.size()) {
        row[columns::time_median_us] = pooled_median(rounds[key]);
        for (const auto& column : {columns::time_ci95_lo_us, columns::time_ci95_hi_us})
          row[column] = std::nullopt;
        row[columns::rounds] = static_cast<int64_t>(rounds[key].size());
        merged.samples[sample_key(row)] = std::move(rounds[key]);
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
