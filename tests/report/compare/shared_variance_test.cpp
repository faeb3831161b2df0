// SPDX-License-Identifier: Apache-2.0
#include "report/compare/shared_variance.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace spb::report {
namespace {

/// Ratios whose errors were estimated with two degrees of freedom; the truth is `error` times the
/// exponential of a normal of deviation `spread`.
std::vector<LogRatio> estimated(int rows, double error, double spread) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<LogRatio> ratios;
  for (int row = 0; row < rows; ++row) {
    const double truth = error * std::exp(spread * normal(random));
    ratios.push_back({0, truth * std::hypot(normal(random), normal(random)) / std::sqrt(2), 2, 2});
  }
  return ratios;
}

std::vector<LogRatio> shared(std::vector<LogRatio> ratios) {
  std::vector<LogRatio*> rows;
  for (LogRatio& ratio : ratios) rows.push_back(&ratio);
  share_variance(rows);
  return ratios;
}

TEST(SharedVariance, RowsThatVaryAlikeKnowItTogether) {
  const std::vector<LogRatio> own = estimated(200, 0.01, 0), all = shared(own);
  double least = 1;
  for (size_t i = 0; i < all.size(); ++i) {
    least = std::min(least, all[i].error);
    EXPECT_GE(all[i].error, own[i].error) << "none becomes surer than it was by itself";
  }
  EXPECT_NEAR(least, 0.01, 0.0015);
  EXPECT_GT(all.front().degrees_of_freedom, 20);
}

TEST(SharedVariance, RowsThatDifferKeepMoreOfTheirOwn) {
  const std::vector<LogRatio> all = shared(estimated(200, 0.01, 1));
  EXPECT_GT(all.front().degrees_of_freedom, 2);
  EXPECT_LT(all.front().degrees_of_freedom, 10);
}

TEST(SharedVariance, ARowOfAnotherKindKeepsItsDegreesOfFreedom) {
  std::vector<LogRatio> own = estimated(200, 0.01, 0);
  own[7].error = 0.5;
  const std::vector<LogRatio> all = shared(own);
  EXPECT_EQ(all[7].error, 0.5);
  EXPECT_EQ(all[7].degrees_of_freedom, 2);
}

TEST(SharedVariance, AnErrorOfNothingIsChance) {
  std::vector<LogRatio> own = estimated(200, 0.01, 0);
  own[7].error = 0;  // both medians fell on one tick of the clock
  EXPECT_GT(shared(own)[7].error, 0.008);
}

TEST(SharedVariance, FewRowsKnowNothingOfEachOther) {
  const std::vector<LogRatio> own = estimated(9, 0.01, 0), all = shared(own);
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].error, own[i].error);
    EXPECT_EQ(all[i].degrees_of_freedom, 2);
  }
  share_variance({});
}

}  // namespace
}  // namespace spb::report
