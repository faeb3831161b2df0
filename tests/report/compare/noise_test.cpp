// SPDX-License-Identifier: Apache-2.0
// How often compare is wrong, on simulated times of which the truth is known.
#include <random>

#include "report/compare/compare.h"
#include "report/simulated.h"

namespace spb::report {
namespace {

constexpr Shape kShape{.rows = 100, .rounds = 5, .samples = 10};
constexpr Noise kQuiet{0.0095, 0.0025, 0.002};  // 1 % in all
constexpr Noise kLoud{0.03, 0.015, 0.01};

Side simulate(const Noise& noise, double factor, std::mt19937_64& random) {
  return simulated_run(noise, kShape, factor, random);
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
    EXPECT_EQ(comparison.matched, kShape.rows);
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
  return static_cast<double>(count) / (suites * kShape.rows);
}

TEST(CompareNoise, IdenticalCodeAlarmsInLessThanOneSuiteOfAHundred) {
  EXPECT_LE(false_alarms(kQuiet, 120), 1);
  EXPECT_LE(false_alarms(kLoud, 120), 1);
}

TEST(CompareNoise, ASlowdownOfSixPercentIsFound) {
  EXPECT_GT(found(kQuiet, 1.06, Change::slower, 5), 0.95);
  EXPECT_GT(found(kQuiet, 1 / 1.06, Change::faster, 5), 0.95);
}

TEST(CompareNoise, QuietTimesAreSameAndLoudOnesRarelyCallTheOpposite) {
  EXPECT_GT(found(kQuiet, 1, Change::same, 5), 0.95);
  EXPECT_EQ(found(kLoud, 1.05, Change::faster, 5), 0);
}

}  // namespace
}  // namespace spb::report
