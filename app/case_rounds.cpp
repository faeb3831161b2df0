#include "case_rounds.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <utility>

#include "bench/rounds.h"

namespace spb::app {
namespace {

using bench::Sample;

bool is_timed(const CaseOutcome& outcome) {
  const std::string status = outcome.rows.front().text("status");
  return (status == "ok" || status == "throttled") && !outcome.samples.empty() &&
         !outcome.samples.front().empty();
}

std::vector<double> counted_us(std::span<const Sample> samples) {
  std::vector<double> times;
  const bool none_is_good = std::ranges::all_of(samples, &Sample::throttled);
  for (const Sample& sample : samples)
    if (none_is_good || !sample.throttled) times.push_back(sample.time_us);
  return times;
}

double real(const Record& row, const char* name) {
  const auto* value = std::get_if<double>(&row.get(name));
  return value ? *value : 0;
}

/// Rates and shares go with 1 / median.
void rescale(Record& row, double old_median_us) {
  for (const char* name : {"throughput_gflops", "bandwidth_gbps", "roofline_pct", "dense_gemm_pct"})
    if (const double value = real(row, name); value > 0)
      row[name] = value * old_median_us / real(row, "time_median_us");
}

void merge_row(CaseOutcome& merged, std::span<const CaseOutcome> rounds, size_t index) {
  Record& row = merged.rows[index];
  std::vector<std::vector<double>> times;
  std::vector<Sample> all;
  for (const CaseOutcome& round : rounds) {
    const std::vector<Sample>& samples = round.samples[index];
    times.push_back(counted_us(samples));
    all.insert(all.end(), samples.begin(), samples.end());
    if (round.rows[index].text("status") == "throttled") row["status"] = std::string("throttled");
  }
  const double old_median_us = real(row, "time_median_us");
  bench::fill_record(bench::summarize_rounds(times), row);
  rescale(row, old_median_us);
  row["rounds"] = static_cast<int64_t>(rounds.size());
  row["throttled_samples"] = int64_t{std::ranges::count_if(all, &Sample::throttled)};
  merged.samples[index] = std::move(all);
}

}  // namespace

CaseOutcome merge_rounds(std::vector<CaseOutcome> rounds) {
  for (CaseOutcome& round : rounds)
    if (!is_timed(round) || round.rows.size() != rounds.front().rows.size())
      return std::move(round);
  CaseOutcome merged = rounds.front();
  if (rounds.size() > 1)
    for (size_t i = 0; i < merged.rows.size(); ++i) merge_row(merged, rounds, i);
  return merged;
}

std::vector<CaseOutcome> run_rounds(CaseRunner& runner, std::span<const size_t> cases, int rounds,
                                    uint64_t seed, const std::function<bool(size_t, int)>& before) {
  std::vector<std::vector<CaseOutcome>> outcomes(cases.size());
  std::vector<size_t> order(cases.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::mt19937 random(static_cast<uint32_t>(seed));
  for (int round = 0; round < rounds; ++round) {
    if (rounds > 1) std::ranges::shuffle(order, random);
    for (const size_t i : order) {
      if (round > 0 && !is_timed(outcomes[i].back())) continue;
      if (!before(cases[i], round)) return {};
      outcomes[i].push_back(runner.run(cases[i], round));
    }
  }
  std::vector<CaseOutcome> merged;
  for (auto& of_case : outcomes) merged.push_back(merge_rounds(std::move(of_case)));
  return merged;
}

}  // namespace spb::app
