// SPDX-License-Identifier: Apache-2.0
#include "bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <stdexcept>
#include <vector>

namespace spb::bench {
namespace {

TEST(Quantile, InterpolatesAsTypeSeven) {
  const std::vector<double> values{1, 2, 4, 8};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 3);
  EXPECT_DOUBLE_EQ(quantile(values, 0.95), 7.4);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 8);
  EXPECT_DOUBLE_EQ(quantile(std::vector<double>{5}, 0.95), 5);
}

TEST(MedianRank, MatchesTablesOfTheSignTest) {
  EXPECT_EQ(median_ci_rank(5), 0);
  EXPECT_EQ(median_ci_rank(6), 1);
  EXPECT_EQ(median_ci_rank(9), 2);
  EXPECT_EQ(median_ci_rank(10), 2);
  EXPECT_EQ(median_ci_rank(30), 10);
  EXPECT_EQ(median_ci_rank(100), 40);
}

TEST(MedianRank, ApproachesTheNormalLimit) {
  for (const int64_t n : {2000, 10000}) {
    const double normal = static_cast<double>(n) / 2 - 0.98 * std::sqrt(static_cast<double>(n));
    EXPECT_NEAR(static_cast<double>(median_ci_rank(n)), normal, 1.5) << n;
  }
}

TEST(Summarize, OneToThirty) {
  std::vector<double> samples;
  for (int i = 30; i >= 1; --i) samples.push_back(i);
  const Statistics result = summarize(samples);
  EXPECT_EQ(result.samples, 30);
  EXPECT_DOUBLE_EQ(result.median, 15.5);
  EXPECT_DOUBLE_EQ(result.ci95_lo.value(), 10);
  EXPECT_DOUBLE_EQ(result.ci95_hi.value(), 21);
  EXPECT_DOUBLE_EQ(result.min, 1);
  EXPECT_DOUBLE_EQ(result.q1, 8.25);
  EXPECT_DOUBLE_EQ(result.q3, 22.75);
  EXPECT_DOUBLE_EQ(result.p95, 28.55);
  EXPECT_DOUBLE_EQ(result.mean, 15.5);
  EXPECT_DOUBLE_EQ(result.std, std::sqrt(77.5));
  EXPECT_DOUBLE_EQ(result.noise_rel, 14.5 / 15.5);
  EXPECT_EQ(result.outliers, 0);
}

TEST(Summarize, OutliersBeyondThreeIqrAreCountedAndKept) {
  // q1 = 10, q3 = 12 whatever the ends are: fences at 4 and 18.
  const std::vector<double> samples{3.9, 4, 10, 10, 10, 11, 12, 12, 12, 18, 18.1};
  const Statistics result = summarize(samples);
  EXPECT_DOUBLE_EQ(result.q1, 10);
  EXPECT_DOUBLE_EQ(result.q3, 12);
  EXPECT_EQ(result.outliers, 2);
  EXPECT_DOUBLE_EQ(result.min, 3.9);
  EXPECT_EQ(result.samples, 11);
}

TEST(Summarize, FewSamplesHaveNoInterval) {
  const Statistics result = summarize(std::vector<double>{7});
  EXPECT_DOUBLE_EQ(result.median, 7);
  EXPECT_DOUBLE_EQ(result.std, 0);
  EXPECT_FALSE(result.ci95_lo);
  EXPECT_FALSE(result.ci95_hi);
}

TEST(Summarize, TheIntervalCoversTheMedianNinetyFiveTimesOfAHundred) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> times(0, 1);  // median 1
  int covered = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> samples(30);
    for (double& sample : samples) sample = times(random);
    const Statistics result = summarize(samples);
    covered += *result.ci95_lo <= 1 && 1 <= *result.ci95_hi;
  }
  EXPECT_NEAR(covered / double{kTrials}, 0.957, 0.015);
}

TEST(Summarize, RefusesNothingAndNonsense) {
  EXPECT_THROW(summarize({}), std::logic_error);
  EXPECT_THROW(summarize(std::vector<double>{1, std::nan("")}), std::logic_error);
}

TEST(FillRecord, WritesWhatWasMeasured) {
  Record record;
  fill_record(summarize(std::vector<double>{1, 2, 3}), record);
  EXPECT_EQ(record.value(columns::time_median_us), Value(2.0));
  EXPECT_EQ(record.value(columns::samples), Value(int64_t{3}));
  EXPECT_EQ(record.value(columns::time_ci95_lo_us), Value());
}

}  // namespace
}  // namespace spb::bench
