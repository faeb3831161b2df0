// SPDX-License-Identifier: Apache-2.0
#include "report/compare/break_even.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "report/compare/match.h"
#include "report/compare/times.h"

namespace spb::report {
namespace {

/// What one side has measured of a workload.
struct Measured {
  std::vector<const Record*> hot, cold;
  std::map<std::string, double> plan_us;  ///< by algorithm
};

struct Workload {
  std::string name;
  Measured base, next;
};

std::string workload_name(const Record& row) {
  std::string name = case_name(row);
  const std::string end = "/" + row.text(columns::algorithm);
  if (name.ends_with(end)) name.resize(name.size() - end.size());
  return name;
}

void add(Measured& measured, const Record* row) {
  if (!row || row->get(columns::status) != Status::ok ||
      row->get(columns::verify_status) != VerifyStatus::pass)
    return;
  const auto time = time_of(*row);
  if (!time) return;
  const auto phase = row->get(columns::phase);
  if (phase == Phase::plan) measured.plan_us[row->text(columns::algorithm)] = *time;
  if (phase == Phase::kernel)
    (row->get(columns::cache) == CacheState::hot ? measured.hot : measured.cold).push_back(row);
}

/// Of algorithms whose plan was timed, too.
const Record* fastest(const std::vector<const Record*>& rows, const Measured& measured) {
  const Record* best = nullptr;
  for (const Record* row : rows)
    if (measured.plan_us.contains(row->text(columns::algorithm)) &&
        (!best || *time_of(*row) < *time_of(*best)))
      best = row;
  return best;
}

FastestRun fastest_run(const Record& row, const Measured& measured) {
  const std::string algorithm = row.text(columns::algorithm);
  return {algorithm, measured.plan_us.at(algorithm), *time_of(row)};
}

bool is_shorter(const Record& a, const Record& b) {
  const auto a_end = a.number(columns::time_ci95_hi_us),
             b_begin = b.number(columns::time_ci95_lo_us);
  return a_end && b_begin && *a_end < *b_begin;
}

std::optional<BreakEven> break_even(const Workload& workload, const CompareOptions& options) {
  const bool hot = !workload.base.hot.empty() && !workload.next.hot.empty();
  const Record* base = fastest(hot ? workload.base.hot : workload.base.cold, workload.base);
  const Record* next = fastest(hot ? workload.next.hot : workload.next.cold, workload.next);
  if (!base || !next || !(is_shorter(*base, *next) || is_shorter(*next, *base))) return {};
  BreakEven found{workload.name, fastest_run(*base, workload.base),
                  fastest_run(*next, workload.next)};
  found.next_runs_faster = found.next.run_us < found.base.run_us;
  const FastestRun& planned = found.next_runs_faster ? found.base : found.next;
  const FastestRun& run = found.next_runs_faster ? found.next : found.base;
  const double gain_us = planned.run_us - run.run_us, cost_us = run.plan_us - planned.plan_us;
  const double chain_floor_us =
      is_host(*next) ? options.floor_us : std::max(options.floor_us, options.chain_floor_us);
  if (gain_us <= options.floor_us || cost_us <= chain_floor_us ||
      run.plan_us <= (1 + options.threshold) * planned.plan_us)
    return {};
  found.runs = static_cast<int64_t>(std::ceil(cost_us / gain_us));
  return found;
}

}  // namespace

std::vector<BreakEven> break_evens(const DeviceComparison& device, const CompareOptions& options) {
  if (device.relative) return {};
  std::vector<Workload> workloads;
  std::map<std::string, size_t> index;
  for (const ComparedRow& row : device.rows) {
    if (row.change == Change::not_comparable) continue;
    const std::string name = workload_name(row.either());
    const auto [found, is_new] = index.emplace(name, workloads.size());
    if (is_new) workloads.push_back({name, {}, {}});
    add(workloads[found->second].base, row.base);
    add(workloads[found->second].next, row.next);
  }
  std::vector<BreakEven> all;
  for (const Workload& workload : workloads)
    if (auto found = break_even(workload, options)) all.push_back(std::move(*found));
  return all;
}

}  // namespace spb::report
