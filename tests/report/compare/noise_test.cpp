// SPDX-License-Identifier: Apache-2.0
// How often compare is wrong, on simulated times of which the truth is known.
#include <algorithm>
#include <cmath>
#include <random>

#include "report/compare/compare.h"
#include "report/compared.h"

namespace spb::report {
namespace {

constexpr int kRows = 100, kRounds = 5, kSamples = 10;

/// Standard deviations of logarithms.
struct Noise {
  double sample;        ///< of each run
  double round;         ///< between rounds, common to all rows: clocks, temperature
  double row_in_round;  ///< between rounds, of each row: memory layout
};
constexpr Noise kQuiet{0.0095, 0.0025, 0.002};  // 1 % in all
constexpr Noise kLoud{0.03, 0.015, 0.01};

/// Simulates one run of a suite whose true times are 50 us times `factor`.
Side simulate(const Noise& noise, double factor, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<double> rounds;
  for (int round = 0; round < kRounds; ++round) rounds.push_back(noise.round * normal(random));
  Side side;
  for (int i = 0; i < kRows; ++i) {
    Record row = kernel_row("a", 0, "sphere:" + std::to_string(i));
    Rounds& samples = side.samples[sample_key(row)];
    std::vector<double> all;
    for (const double drift : rounds) {
      const double own = drift + noise.row_in_round * normal(random);
      auto& round = samples.emplace_back();
      for (int sample = 0; sample < kSamples; ++sample)
        round.push_back(50 * factor * std::exp(own + noise.sample * normal(random)));
      all.insert(all.end(), round.begin(), round.end());
    }
    std::ranges::sort(all);
    row[columns::time_median_us] = (all[all.size() / 2 - 1] + all[all.size() / 2]) / 2;
    side.records.rows.push_back(std::move(row));
  }
  return side;
}

CompareOptions options() {
  CompareOptions options;
  options.bootstrap.resamples = 500;
  options.floor_us = 0;  // which would forgive 2 % of these times
  return options;
}

/// The number of suites in which identical code was called slower or faster.
int false_alarms(const Noise& noise, int suites) {
  int alarms = 0;
  for (int suite = 0; suite < suites; ++suite) {
    std::mt19937_64 random(static_cast<uint64_t>(suite));
    const Side base = simulate(noise, 1, random), next = simulate(noise, 1, random);
    const Comparison comparison = compare(base, next, options());
    EXPECT_EQ(comparison.matched, kRows);
    alarms += comparison.count(Change::slower) + comparison.count(Change::faster) > 0;
  }
  return alarms;
}

double found(const Noise& noise, double factor, Change change, int suites) {
  int64_t count = 0;
  for (int suite = 0; suite < suites; ++suite) {
    std::mt19937_64 random(static_cast<uint64_t>(suite));
    const Side base = simulate(noise, 1, random), next = simulate(noise, factor, random);
    count += compare(base, next, options()).count(change);
  }
  return static_cast<double>(count) / (suites * kRows);
}

TEST(CompareNoise, IdenticalCodeAlarmsInLessThanOneSuiteOfAHundred) {
  EXPECT_LE(false_alarms(kQuiet, 120), 1);
  EXPECT_LE(false_alarms(kLoud, 120), 1);
}

TEST(CompareNoise, ASlowdownOfFivePercentIsFound) {
  EXPECT_GT(found(kQuiet, 1.05, Change::slower, 5), 0.95);
  EXPECT_GT(found(kQuiet, 1 / 1.05, Change::faster, 5), 0.95);
}

TEST(CompareNoise, QuietTimesAreSameAndLoudOnesRarelyCallTheOpposite) {
  EXPECT_GT(found(kQuiet, 1, Change::same, 5), 0.95);
  EXPECT_EQ(found(kLoud, 1.05, Change::faster, 5), 0);
}

}  // namespace
}  // namespace spb::report
