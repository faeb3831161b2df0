// SPDX-License-Identifier: Apache-2.0
#include "suite/case_rounds.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "bench/rounds.h"
#include "core/statistics.h"
#include "report/records/fields.h"
#include "run/record_case.h"

namespace spb::suite {
namespace {

using bench::Sample;

constexpr double kWideInterval = 0.04;  // of the median: its 95 % interval cannot show 3 %
constexpr double kResolutionUs = 1;     // compare's floor
constexpr double kFallenClock = 0.97;   // from the first quarter of a row's samples to the last

bool clock_fell(std::span<const Sample> samples) {
  const size_t quarter = samples.size() / 4;
  std::vector<double> first, last;
  for (size_t i = 0; i < quarter; ++i) {
    first.push_back(samples[i].sm_clock_mhz);
    last.push_back(samples[samples.size() - 1 - i].sm_clock_mhz);
  }
  return median(std::move(last)) < kFallenClock * median(std::move(first));
}

bool is_timed(const CaseOutcome& outcome) {
  const auto status = outcome.rows.front().get(columns::status);
  return (status == Status::ok || status == Status::throttled) && !outcome.samples.empty() &&
         !outcome.samples.front().empty();
}

double number(const Record& row, const Column<Real>& column) { return row.get(column).value_or(0); }

/// Rates and shares go with 1 / median.
void rescale(Record& row, double old_median_us) {
  for (const report::Field& field : report::fields())
    if (const double value = row.number_of(field.name).value_or(0); field.rate && value > 0)
      row.named(field.name) = value * old_median_us / number(row, columns::time_median_us);
}

/// A row of one round.
struct RoundRow {
  const Record* row;
  const std::vector<Sample>* samples;

  bool is_throttled() const { return row->get(columns::status) == Status::throttled; }
};

/// The same row of all rounds that have it: a phase that had no memory in one is not in its rows.
std::vector<RoundRow> rows_like(const Record& row, std::span<const CaseOutcome> rounds) {
  std::vector<RoundRow> found;
  for (const CaseOutcome& round : rounds)
    for (size_t i = 0; i < round.rows.size(); ++i) {
      const Record& other = round.rows[i];
      if (other.get(columns::phase) == row.get(columns::phase) &&
          other.get(columns::cache) == row.get(columns::cache) &&
          other.get(columns::layers) == row.get(columns::layers))
        found.push_back({&other, &round.samples[i]});
    }
  return found;
}

/// What the device did over these rounds: medians, and every reason that one of them saw.
void merge_conditions(Record& row, std::span<const RoundRow> rounds) {
  for (const Column<Real>& column :
       {columns::sm_clock_mhz, columns::mem_clock_mhz, columns::power_w, columns::temp_c,
        columns::timer_floor_us, columns::wall_median_us}) {
    std::vector<double> values;
    for (const RoundRow& round : rounds)
      if (const auto value = round.row->get(column)) values.push_back(*value);
    if (!values.empty()) row[column] = median(std::move(values));
  }
  gpu::ThrottleReasons reasons;
  for (const RoundRow& round : rounds)
    for (const Sample& sample : *round.samples) reasons |= sample.reasons;
  row[columns::throttle_reasons] = reasons.text();
  if (const auto floor_us = row.number(columns::timer_floor_us))
    row[columns::near_floor] = run::is_near_floor(number(row, columns::time_median_us), *floor_us);
  if (row.value(columns::cold_suspect) != Value())
    row[columns::cold_suspect] = std::ranges::any_of(rounds, [](const RoundRow& round) {
      return round.row->value(columns::cold_suspect) == Value(true);
    });
}

void merge_row(CaseOutcome& merged, std::span<const CaseOutcome> rounds, size_t index) {
  Record& row = merged.rows[index];
  const std::vector<RoundRow> found = rows_like(row, rounds);
  // A throttled round gives way to those that were not: it was measured again.
  const bool none_is_good = std::ranges::all_of(found, &RoundRow::is_throttled);
  Rounds times;
  std::vector<Sample> all;
  std::vector<RoundRow> kept;
  for (const RoundRow& round : found) {
    if (round.is_throttled() && !none_is_good) continue;
    kept.push_back(round);
    times.push_back(bench::counted_us(*round.samples));
    all.insert(all.end(), round.samples->begin(), round.samples->end());
  }
  row[columns::status] = none_is_good ? Status::throttled : Status::ok;
  const double old_median_us = number(row, columns::time_median_us);
  bench::fill_record(bench::summarize_rounds(times), row);
  rescale(row, old_median_us);
  merge_conditions(row, kept);
  double verify_s = 0;
  for (const RoundRow& round : found) verify_s += number(*round.row, columns::verify_s);
  if (row.get(columns::verify_s)) row[columns::verify_s] = verify_s;
  row[columns::rounds] = static_cast<int64_t>(times.size());
  row[columns::throttled_samples] = std::ranges::count_if(all, &Sample::throttled);
  merged.samples[index] = std::move(all);
}

}  // namespace

CaseOutcome merge_rounds(std::vector<CaseOutcome> rounds) {
  for (CaseOutcome& round : rounds)
    if (!is_timed(round)) return std::move(round);
  CaseOutcome merged = rounds.front();
  if (rounds.size() > 1)
    for (size_t i = 0; i < merged.rows.size(); ++i) merge_row(merged, rounds, i);
  return merged;
}

bool is_suspect(const CaseOutcome& outcome) {
  if (!is_timed(outcome)) return false;
  for (size_t i = 0; i < outcome.rows.size(); ++i) {
    const Record& row = outcome.rows[i];
    const double width =
        number(row, columns::time_ci95_hi_us) - number(row, columns::time_ci95_lo_us);
    if (row.get(columns::status) == Status::throttled || clock_fell(outcome.samples[i]) ||
        width > std::max(kWideInterval * number(row, columns::time_median_us), kResolutionUs))
      return true;
  }
  return false;
}

std::vector<CaseOutcome> run_rounds(CaseRunner& runner, std::span<const size_t> cases,
                                    const RoundOptions& options, const RoundHooks& hooks) {
  std::vector<std::vector<CaseOutcome>> outcomes(cases.size());
  std::vector<size_t> order(cases.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::mt19937 random(static_cast<uint32_t>(options.seed));
  const auto visit = [&](size_t i, int round) {
    const Next next = hooks.before(cases[i]);
    if (next != Next::run) return next;
    outcomes[i].push_back(runner.run(cases[i], round));
    hooks.after(outcomes[i].back());
    return next;
  };
  Next next = Next::run;
  for (int round = 0; round < options.rounds && next == Next::run; ++round) {
    if (options.rounds > 1) std::ranges::shuffle(order, random);
    for (const size_t i : order) {
      if (round > 0 && !is_timed(outcomes[i].back())) continue;
      if (next = visit(i, round); next != Next::run) break;
    }
  }
  const bool rounds_are_complete = next == Next::run;
  for (int again = 0; again < options.reruns && next == Next::run; ++again)
    for (size_t i = 0; i < cases.size() && next == Next::run; ++i)
      if (is_suspect(merge_rounds(outcomes[i]))) next = visit(i, options.rounds + again);
  // An interrupt among them loses no case whose rounds are complete.
  if (rounds_are_complete && next == Next::discard) next = Next::stop;
  if (next == Next::discard) return {};
  std::vector<CaseOutcome> merged;
  for (auto& of_case : outcomes)
    merged.push_back(of_case.empty() ? CaseOutcome{} : merge_rounds(std::move(of_case)));
  return merged;
}

}  // namespace spb::suite
