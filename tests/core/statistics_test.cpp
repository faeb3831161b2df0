// SPDX-License-Identifier: Apache-2.0
#include "core/statistics.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace spb {
namespace {

TEST(Median, IsTheMiddleOfValuesInAnyOrder) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 4}), 4);
  EXPECT_EQ(median({9, 1, 4, 2}), 3);
}

TEST(CountedTimes, ThrottledOnesCountOnlyWhereFewAreNot) {
  const std::vector<double> few(9, 1.0), enough(10, 1.0), throttled(5, 2.0), none;
  EXPECT_EQ(counted_times(enough, throttled), enough);
  EXPECT_EQ(counted_times(few, throttled).size(), 14u);
  EXPECT_EQ(counted_times(few, none), few);
  EXPECT_EQ(counted_times(none, throttled), throttled);
}

TEST(MedianResampler, DrawsMediansOfRoundsThenSamples) {
  Random random(1);
  MedianResampler one({{1, 2, 3, 4}}), several({{1, 1, 1}, {5, 5, 5}, {9, 9, 9}});
  EXPECT_EQ(one.units(), 4u);
  EXPECT_EQ(several.units(), 3u);
  EXPECT_EQ(several.size(), 9u);
  std::vector<int> counts(10);
  for (int i = 0; i < 1000; ++i) {
    const double drawn = several.draw(random);
    ASSERT_TRUE(drawn == 1 || drawn == 5 || drawn == 9) << drawn;
    ++counts[static_cast<size_t>(drawn)];
  }
  // Two of three draws, or all, must be the round of ones: 7 of 27.
  EXPECT_NEAR(counts[1], 1000 * 7 / 27, 60);
  EXPECT_NEAR(counts[9], 1000 * 7 / 27, 60);
  Random again(1);
  Random same(1);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(one.draw(again), one.draw(same));
}

TEST(ExpandedTail, FewUnitsReachFurther) {
  EXPECT_NEAR(expanded_tail(1000000, 1999998), 0.025, 1e-5);
  EXPECT_LT(expanded_tail(5, 8), 0.01);
  EXPECT_LT(expanded_tail(5, 4), expanded_tail(5, 8));
}

}  // namespace
}  // namespace spb
