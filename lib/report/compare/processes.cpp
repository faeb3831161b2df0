// SPDX-License-Identifier: Apache-2.0
#include "report/compare/processes.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "report/compare/conditions.h"
#include "report/compare/match.h"
#include "report/compare/times.h"

namespace spb::report {
namespace {

struct Run {
  std::string id;
  std::map<std::string, const Record*> rows;  // by key; of a repeated one the last
};

/// The last run first.
std::vector<Run> runs_of(const Side& side, const std::string& device,
                         const std::set<std::string>& keys) {
  std::vector<Run> runs;
  for (auto last = side.records.rows.rbegin(); last != side.records.rows.rend(); ++last) {
    const Record& row = *last;
    if (!is_good(row) || device_name(row) != device) continue;
    const std::string id = row.text(columns::run_id), key = row_key(row);
    if (!keys.contains(key)) continue;
    auto run = std::ranges::find(runs, id, &Run::id);
    if (run == runs.end()) run = runs.insert(runs.end(), Run{.id = id, .rows = {}});
    run->rows.emplace(key, &row);
  }
  return runs;
}

/// Of a build with changes nobody knows whether another is the same.
bool is_repeat(const Record& row, const Record& last) {
  for (const auto& column : {columns::git_sha, columns::tool_version, columns::build_type})
    if (row.text(column) != last.text(column)) return false;
  return !row.text(columns::git_sha).empty() && row.get(columns::git_dirty) != true &&
         last.get(columns::git_dirty) != true && differences(row, last, {}).empty();
}

/// What each process measured of the rows `keys` of a device.
std::vector<ProcessTimes> processes_of(const Side& side, const std::string& device,
                                       const std::set<std::string>& keys) {
  std::vector<ProcessTimes> processes;
  if (const auto merged = side.processes.find(device); merged != side.processes.end()) {
    processes = merged->second;
    for (ProcessTimes& times : processes)
      std::erase_if(times, [&](const auto& time) { return !keys.contains(time.first); });
    return processes;
  }
  const std::vector<Run> runs = runs_of(side, device, keys);
  const Run* last = nullptr;
  std::set<std::string> shared = keys;  // by the processes so far: shards share nothing
  for (const Run& run : runs) {
    ProcessTimes times;
    for (const auto& [key, row] : run.rows) {
      const auto time = time_of(*row);
      if (time && shared.contains(key) && (!last || is_repeat(*row, *last->rows.at(key))))
        times.emplace(key, *time);
    }
    if (times.empty()) continue;
    if (!last) last = &run;
    shared.clear();
    for (const auto& [key, time] : times) shared.insert(key);
    processes.push_back(std::move(times));
  }
  return processes;
}

}  // namespace

ProcessDrift drift_between(const DeviceComparison& device, const Side& base, const Side& next,
                           const CompareOptions& options) {
  std::set<std::string> before, after;  // the backends of the sides may differ
  const ComparedRow* timed = nullptr;
  for (const ComparedRow& row : device.rows) {
    if (!row.ratio) continue;
    before.insert(row_key(*row.base));
    after.insert(row_key(*row.next));
    timed = &row;
  }
  if (!timed) return {};
  return process_drift(processes_of(base, device_name(*timed->base), before),
                       processes_of(next, device_name(*timed->next), after), options.process_drift);
}

size_t processes_behind(const Side& side, const Record& row) {
  const auto merged = side.processes.find(device_name(row));
  const bool is_of_all =
      merged != side.processes.end() && merged->second.front().contains(row_key(row));
  return is_of_all ? merged->second.size() : 1;
}

}  // namespace spb::report
