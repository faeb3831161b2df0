// SPDX-License-Identifier: Apache-2.0
#include "report/compare/times.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/parallel.h"
#include "report/compare/match.h"
#include "report/compare/processes.h"
#include "report/compare/shared_variance.h"
#include "report/compare/student.h"
#include "report/records/read_samples.h"

namespace spb::report {
namespace {

constexpr size_t kRoundsForTest = 5;  // three against three can never reach p < 0.05
constexpr size_t kMostRounds = 20;    // beyond, counting all orders takes too long
constexpr double kTail = 0.025;       // beyond each end of an interval of 95 %
constexpr double kInfinity = std::numeric_limits<double>::infinity();

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

/// Rounds vary independently, or the samples of a single one.
double freedom_of(const Record& base, const Record& next) {
  double units = 0;
  for (const Record* row : {&base, &next}) {
    const double rounds = row->number(columns::rounds).value_or(1);
    units += rounds > 1 ? rounds : row->number(columns::samples).value_or(kInfinity);
  }
  return std::max(1.0, units - 2);
}

std::optional<ResampledInterval> interval_of_medians(const Record& base, const Record& next) {
  const auto base_lo = base.number(columns::time_ci95_lo_us),
             base_hi = base.number(columns::time_ci95_hi_us),
             next_lo = next.number(columns::time_ci95_lo_us),
             next_hi = next.number(columns::time_ci95_hi_us);
  if (!base_lo || !base_hi || !next_lo || !next_hi || *base_lo <= 0 || *next_lo <= 0) return {};
  return ResampledInterval{{*next_lo / *base_hi, *next_hi / *base_lo}, freedom_of(base, next)};
}

/// A row, and what its verdict rests on.
struct Timed {
  ComparedRow* row;
  const ProcessDrift* drift;
  size_t base_processes, next_processes;         ///< that its times are of
  std::optional<ResampledInterval> within = {};  ///< 95 %, by what varies within processes
  std::optional<LogRatio> of_rounds = {};        ///< by the medians of rounds, where sides have two

  double drift_reach(double tail) const {
    return drift->reach(tail, base_processes, next_processes);
  }
  /// Logarithms: of the ratio, which the interval holds, and from there to its ends.
  double center() const { return std::log(std::clamp(*row->ratio, within->lo, within->hi)); }
  double below() const { return center() - std::log(within->lo); }
  double above() const { return std::log(within->hi) - center(); }
};

void add_interval(Timed& timed, const Side& base, const Side& next,
                  const BootstrapOptions& options) {
  ComparedRow& row = *timed.row;
  const auto before = base.samples.find(sample_key(*row.base));
  const auto after = next.samples.find(sample_key(*row.next));
  if (before == base.samples.end() || after == next.samples.end()) {
    timed.within = interval_of_medians(*row.base, *row.next);
    return;
  }
  BootstrapOptions own = options;
  own.seed ^= hash(row_key(*row.base));
  timed.within = ratio_interval(before->second, after->second, own);
  row.resampled = timed.within.has_value();
  const std::vector<double> medians[] = {round_medians(before->second),
                                         round_medians(after->second)};
  const size_t rounds[] = {medians[0].size(), medians[1].size()};
  if (row.resampled && std::ranges::min(rounds) > 1)
    timed.of_rounds = log_ratio(medians[0], medians[1]);
  if (std::ranges::min(rounds) >= kRoundsForTest && std::ranges::max(rounds) <= kMostRounds)
    row.p = mann_whitney_p(medians[0], medians[1]);
}

/// What varies within processes and drift between them are independent: the ends of their
/// intervals add in squares (Zou & Donner, "Construction of confidence limits about effect
/// measures", Statistics in Medicine 27, 2008).
std::optional<Interval> widened(const Timed& timed) {
  const double reach = timed.drift_reach(kTail);
  if (!timed.within || reach == 0) return timed.within;
  return Interval{std::exp(timed.center() - std::hypot(timed.below(), reach)),
                  std::exp(timed.center() + std::hypot(timed.above(), reach))};
}

/// What lies one in thousands out no resamples show: by Student's t of the rounds, else by the one
/// that has this interval of 95 %.
std::vector<LogRatio> evidence(std::span<const Timed> all) {
  std::vector<LogRatio> ratios;
  for (const Timed& timed : all) {
    const double freedom = timed.within->degrees_of_freedom;
    const double half = timed.center() > 0 ? timed.below() : timed.above();
    ratios.push_back(timed.of_rounds.value_or(
        LogRatio{timed.center(), half / student_reach(kTail, freedom), freedom, freedom}));
  }
  std::vector<LogRatio*> of_rounds;
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].of_rounds) of_rounds.push_back(&ratios[i]);
  share_variance(of_rounds);
  return ratios;
}

/// How probable a ratio so far beyond the threshold is by what varies within processes, where drift
/// has shifted it by `reach`.
double p_beyond(const LogRatio& ratio, double threshold, double reach) {
  const double beyond = std::abs(ratio.value) - std::log1p(threshold) - reach;
  if (beyond <= 0) return 1;
  return ratio.error > 0 ? 2 * student_tail(beyond / ratio.error, ratio.degrees_of_freedom) : 0;
}

Change judge(const ComparedRow& row, const CompareOptions& options) {
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

bool is_throttled(const ComparedRow& row) {
  return row.base->get(columns::status) == Status::throttled ||
         row.next->get(columns::status) == Status::throttled;
}

/// Lets stand what is slower or faster of so many rows, too, so that any verdict of these is wrong
/// in at most 5 % of comparisons. Drift shifts all rows of a process at once: it takes its part of
/// the 5 % once for a device, and what varies within processes the rest, once for each row (Holm).
void allow_for_many(std::span<const Timed> all, double drifting_devices,
                    const CompareOptions& options) {
  if (all.size() < 2) return;  // its interval has said all
  // The greater part, as Student's t of few processes has the farther tails.
  const double part_of_drift = drifting_devices > 0 ? 0.8 : 0;
  const double tail = kTail * part_of_drift / std::max(drifting_devices, 1.0);
  const std::vector<LogRatio> ratios = evidence(all);
  std::vector<double> p;
  for (size_t i = 0; i < all.size(); ++i)
    p.push_back(p_beyond(ratios[i], options.threshold, all[i].drift_reach(tail)));
  const std::vector<double> adjusted = holm(p);
  for (size_t i = 0; i < all.size(); ++i) {
    ComparedRow& row = *all[i].row;
    row.p_beyond = std::min(1.0, adjusted[i] / (1 - part_of_drift));
    if ((row.change != Change::slower && row.change != Change::faster) ||
        *row.p_beyond <= 2 * kTail)
      continue;
    row.detail =
        fmt::format("{} alone, but not for {} rows together", name(row.change), all.size());
    row.change = Change::inconclusive;
  }
}

}  // namespace

std::optional<double> time_of(const Record& row) { return row.number(columns::time_median_us); }

void judge_times(Comparison& comparison, const Side& base, const Side& next,
                 const CompareOptions& options) {
  std::vector<Timed> timed;
  double drifting_devices = 0;
  for (DeviceComparison& device : comparison.devices) {
    device.drift = drift_between(device, base, next, options);
    if (device.drift.deviation > 0) ++drifting_devices;
    for (ComparedRow& row : device.rows)
      if (row.ratio)
        timed.push_back({&row, &device.drift, processes_behind(base, *row.base),
                         processes_behind(next, *row.next)});
  }
  parallel_for(static_cast<int64_t>(timed.size()), [&](int64_t i) {
    Timed& one = timed[static_cast<size_t>(i)];
    add_interval(one, base, next, options.bootstrap);
    one.row->interval = widened(one);
    one.row->change = judge(*one.row, options);
    if (!is_throttled(*one.row)) return;
    one.row->change = Change::inconclusive;
    one.row->detail = name(Status::throttled);
  });
  std::vector<double> p;
  for (const Timed& one : timed)
    if (one.row->p) p.push_back(*one.row->p);
  const std::vector<double> adjusted = benjamini_hochberg(p);
  size_t next_p = 0;
  for (Timed& one : timed)
    if (one.row->p) one.row->p = adjusted[next_p++];
  std::erase_if(timed, [](const Timed& one) { return !one.within || is_throttled(*one.row); });
  comparison.judged = static_cast<int64_t>(timed.size());
  allow_for_many(timed, drifting_devices, options);
}

}  // namespace spb::report
