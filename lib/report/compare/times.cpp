// SPDX-License-Identifier: Apache-2.0
#include "report/compare/times.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "report/compare/match.h"
#include "report/records/read_samples.h"

namespace spb::report {
namespace {

constexpr size_t kRoundsForTest = 5;  // three against three can never reach p < 0.05
constexpr size_t kMostRounds = 20;    // beyond, counting all orders takes too long

/// FNV-1a: equal on every machine, which std::hash is not.
uint64_t hash(const std::string& text) {
  uint64_t value = 0xCBF29CE484222325u;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return value;
}

std::vector<double> round_medians(const Rounds& rounds) {
  std::vector<double> medians;
  for (const std::vector<double>& round : rounds) medians.push_back(median(round));
  return medians;
}

std::optional<Interval> interval_of_medians(const Record& base, const Record& next) {
  const auto base_lo = base.number(columns::time_ci95_lo_us),
             base_hi = base.number(columns::time_ci95_hi_us),
             next_lo = next.number(columns::time_ci95_lo_us),
             next_hi = next.number(columns::time_ci95_hi_us);
  if (!base_lo || !base_hi || !next_lo || !next_hi || *base_lo <= 0) return {};
  return Interval{*next_lo / *base_hi, *next_hi / *base_lo};
}

void add_interval(ComparedRow& row, const Side& base, const Side& next,
                  const BootstrapOptions& options) {
  const auto before = base.samples.find(sample_key(*row.base));
  const auto after = next.samples.find(sample_key(*row.next));
  if (before == base.samples.end() || after == next.samples.end()) {
    row.interval = interval_of_medians(*row.base, *row.next);
    return;
  }
  BootstrapOptions own = options;
  own.seed ^= hash(row_key(*row.base));
  row.interval = ratio_interval(before->second, after->second, own);
  row.resampled = row.interval.has_value();
  const size_t rounds[] = {before->second.size(), after->second.size()};
  if (std::ranges::min(rounds) >= kRoundsForTest && std::ranges::max(rounds) <= kMostRounds)
    row.p = mann_whitney_p(round_medians(before->second), round_medians(after->second));
}

Change judge(const ComparedRow& row, const CompareOptions& options) {
  if (!row.ratio) return row.change;
  const bool is_chain = row.next->get(columns::phase) != Phase::kernel && !is_host(*row.next);
  const double floor_us =
      is_chain ? std::max(options.floor_us, options.chain_floor_us) : options.floor_us;
  if (std::abs(*time_of(*row.next) - *time_of(*row.base)) <= floor_us) return Change::same;
  if (!row.interval) return Change::inconclusive;
  const double upper = 1 + options.threshold, lower = 1 / upper;
  if (row.interval->lo > upper) return Change::slower;
  if (row.interval->hi < lower) return Change::faster;
  return row.interval->lo >= lower && row.interval->hi <= upper ? Change::same
                                                                : Change::inconclusive;
}

}  // namespace

std::optional<double> time_of(const Record& row) { return row.number(columns::time_median_us); }

void judge_times(Comparison& comparison, const Side& base, const Side& next,
                 const CompareOptions& options) {
  std::vector<ComparedRow*> timed;
  for (DeviceComparison& device : comparison.devices)
    for (ComparedRow& row : device.rows)
      if (row.ratio) timed.push_back(&row);
  parallel_for(static_cast<int64_t>(timed.size()), [&](int64_t i) {
    ComparedRow& row = *timed[static_cast<size_t>(i)];
    add_interval(row, base, next, options.bootstrap);
    row.change = judge(row, options);
    const bool throttled = row.base->get(columns::status) == Status::throttled ||
                           row.next->get(columns::status) == Status::throttled;
    if (!throttled) return;
    row.change = Change::inconclusive;
    row.detail = name(Status::throttled);
  });
  std::vector<double> p;
  for (const ComparedRow* row : timed)
    if (row->p) p.push_back(*row->p);
  const std::vector<double> adjusted = benjamini_hochberg(p);
  size_t next_p = 0;
  for (ComparedRow* row : timed)
    if (row->p) row->p = adjusted[next_p++];
}

}  // namespace spb::report
