// SPDX-License-Identifier: Apache-2.0
#include "bench/rounds.h"

#include <gtest/gtest.h>
#include <random>

namespace spb::bench {
namespace {

using Rounds = std::vector<std::vector<double>>;

Rounds drifting(double drift, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> of_round(100, drift), of_sample(0, 0.2);
  Rounds rounds(5);
  for (auto& round : rounds) {
    const double center = of_round(random);
    for (int i = 0; i < 30; ++i) round.push_back(center + of_sample(random));
  }
  return rounds;
}

double width(const Statistics& statistics) { return *statistics.ci95_hi - *statistics.ci95_lo; }

TEST(SummarizeRounds, OneRoundIsSummarized) {
  const Rounds rounds{{3, 1, 2, 4, 5, 6, 7}};
  const Statistics one = summarize_rounds(rounds), same = summarize(rounds[0]);
  EXPECT_EQ(one.median, same.median);
  EXPECT_EQ(one.ci95_lo, same.ci95_lo);
}

TEST(SummarizeRounds, PoolsAllSamples) {
  const Statistics result = summarize_rounds(Rounds{{1, 2, 3}, {4, 5, 6, 7}});
  EXPECT_EQ(result.samples, 7);
  EXPECT_EQ(result.median, 4);
  EXPECT_EQ(result.min, 1);
}

TEST(SummarizeRounds, DriftBetweenRoundsWidensTheInterval) {
  const Statistics steady = summarize_rounds(drifting(0, 3)),
                   drift = summarize_rounds(drifting(2, 3));
  EXPECT_LT(width(steady), 0.3);
  EXPECT_GT(width(drift), 1);
  EXPECT_EQ(width(summarize_rounds(drifting(2, 3))), width(drift)) << "not the same twice";
}

}  // namespace
}  // namespace spb::bench
