// SPDX-License-Identifier: Apache-2.0
#include "report/compare/bootstrap.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace spb::report {
namespace {

std::vector<double> normal_samples(int count, double mean, double std, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(mean, std);
  std::vector<double> samples;
  for (int i = 0; i < count; ++i) samples.push_back(normal(random));
  return samples;
}

TEST(RatioInterval, OfConstantTimesIsTheirRatio) {
  const auto interval = ratio_interval({{2, 2, 2}}, {{3, 3, 3, 3}}, {});
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->lo, 1.5, 1e-9);
  EXPECT_NEAR(interval->hi, 1.5, 1e-9);
}

TEST(RatioInterval, IsTheSameEachTimeAndMovesWithTheSeedOnlyALittle) {
  const Rounds base{normal_samples(40, 100, 1, 1)}, next{normal_samples(40, 105, 1, 2)};
  const auto one = ratio_interval(base, next, {}), again = ratio_interval(base, next, {});
  const auto other = ratio_interval(base, next, {.resamples = 10000, .seed = 7});
  EXPECT_EQ(one->lo, again->lo);
  EXPECT_EQ(one->hi, again->hi);
  EXPECT_NEAR(one->lo, other->lo, 1e-3);
  EXPECT_LT(one->lo, 1.05);
  EXPECT_GT(one->hi, 1.05);
  EXPECT_NEAR(one->hi - one->lo, 4 * 1.2533 * std::sqrt(2.0 / 40) / 100 * 1.05, 0.005);
}

TEST(RatioInterval, HoldsTheTruthInNineteenOfTwentyCases) {
  int held = 0;
  constexpr int kTrials = 400;
  for (int i = 0; i < kTrials; ++i) {
    const auto seed = static_cast<uint64_t>(i);
    const auto interval =
        ratio_interval({normal_samples(30, 100, 2, 2 * seed)},
                       {normal_samples(30, 110, 2, 2 * seed + 1)}, {.resamples = 1000, .seed = 0});
    held += interval->lo <= 1.1 && 1.1 <= interval->hi;
  }
  EXPECT_GE(held, 0.93 * kTrials);
  EXPECT_LE(held, 0.99 * kTrials);
}

TEST(RatioInterval, RoundsThatDriftWidenItFarBeyondTheirSamples) {
  Rounds base, next, pooled{{}}, pooled_next{{}};
  for (int round = 0; round < 5; ++round) {
    const auto seed = static_cast<uint64_t>(round);
    base.push_back(normal_samples(20, 100 + 3 * (round % 3), 0.1, seed));
    next.push_back(normal_samples(20, 100 + 3 * ((round + 1) % 3), 0.1, seed + 100));
    pooled[0].insert(pooled[0].end(), base.back().begin(), base.back().end());
    pooled_next[0].insert(pooled_next[0].end(), next.back().begin(), next.back().end());
  }
  const auto rounds = ratio_interval(base, next, {});
  const auto samples = ratio_interval(pooled, pooled_next, {});
  EXPECT_GT(rounds->hi - rounds->lo, 1.5 * (samples->hi - samples->lo));
  EXPECT_LT(rounds->lo, 1);
  EXPECT_GT(rounds->hi, 1);
}

TEST(RatioInterval, NothingFromOneSample) {
  EXPECT_FALSE(ratio_interval({{1.0}}, {{1.0, 2.0}}, {}));
  EXPECT_FALSE(ratio_interval({}, {{1.0, 2.0}}, {}));
}

TEST(RatioInterval, ManySamplesAreResampledLessOften) {
  EXPECT_EQ(resample_count(0, {}), 10'000u);
  EXPECT_EQ(resample_count(4'000, {}), 5'000u);
  EXPECT_EQ(resample_count(400, {.resamples = 300}), 300u);
  EXPECT_EQ(resample_count(40'000'000, {}), 1'000u);
  const Rounds some{normal_samples(2000, 100, 1, 1)}, more{normal_samples(20000, 100, 1, 1)};
  const auto few = ratio_interval(some, some, {}), many = ratio_interval(more, more, {});
  // The width that theory gives: 2 * 1.96 * sqrt(2) * sqrt(pi / 2) * sigma / sqrt(n).
  EXPECT_NEAR(few->hi - few->lo, 0.00155, 0.0004);
  EXPECT_NEAR(many->hi - many->lo, 0.00049, 0.00013);
}

TEST(RatioInterval, OfTwoRoundsReachesBeyondThem) {
  // Medians 100 and 102 a side: no resample leaves the 2 % between them, Student's t does.
  const Rounds side{normal_samples(20, 100, 0.01, 1), normal_samples(20, 102, 0.01, 2)};
  const auto interval = ratio_interval(side, side, {});
  EXPECT_EQ(interval->degrees_of_freedom, 2);
  // The error of each side is sqrt(2) / sqrt(2) % of rounds; t of two degrees reaches 4.3.
  EXPECT_NEAR(std::log(interval->hi), 4.303 * std::sqrt(2) * 0.01, 0.01);
  EXPECT_NEAR(std::log(interval->lo), -std::log(interval->hi), 0.002);
}

TEST(Holm, AdjustsSoThatNoneIsFalse) {
  const std::vector<double> adjusted = holm(std::vector<double>{0.04, 0.01, 0.03, 0.9});
  EXPECT_DOUBLE_EQ(adjusted[1], 0.04);  // the least, times four
  EXPECT_DOUBLE_EQ(adjusted[2], 0.09);  // then three are left
  EXPECT_DOUBLE_EQ(adjusted[0], 0.09);  // 0.08, but no less than one before it
  EXPECT_DOUBLE_EQ(adjusted[3], 0.9);
  EXPECT_TRUE(holm({}).empty());
}

TEST(MannWhitney, ExactForSmallSets) {
  const std::vector<double> low{1, 2, 3, 4, 5}, high{6, 7, 8, 9, 10};
  EXPECT_DOUBLE_EQ(mann_whitney_p(low, high), 2.0 / 252);  // of the ways to choose 5 of 10 ranks
  EXPECT_DOUBLE_EQ(mann_whitney_p(high, low), 2.0 / 252);
  EXPECT_DOUBLE_EQ(mann_whitney_p(std::vector<double>{1, 2, 3}, std::vector<double>{4, 5, 6}), 0.1);
  EXPECT_DOUBLE_EQ(mann_whitney_p(std::vector<double>{1, 4}, std::vector<double>{2, 3}), 1);
  EXPECT_DOUBLE_EQ(mann_whitney_p(std::vector<double>{1, 1, 1}, std::vector<double>{1, 1}), 1);
}

TEST(BenjaminiHochberg, AdjustsForTheirNumber) {
  const std::vector<double> adjusted =
      benjamini_hochberg(std::vector<double>{0.04, 0.01, 0.03, 0.9});
  EXPECT_DOUBLE_EQ(adjusted[1], 0.04);
  EXPECT_DOUBLE_EQ(adjusted[2], 0.04 * 4 / 3);  // 0.06, but the third smallest gives less
  EXPECT_DOUBLE_EQ(adjusted[0], 0.04 * 4 / 3);
  EXPECT_DOUBLE_EQ(adjusted[3], 0.9);
  EXPECT_TRUE(benjamini_hochberg({}).empty());
}

}  // namespace
}  // namespace spb::report
