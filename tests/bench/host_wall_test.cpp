// SPDX-License-Identifier: Apache-2.0
#include "bench/host_wall.h"

#include <gtest/gtest.h>
#include <thread>

namespace spb::bench {
namespace {

TEST(HostWall, MeasuresMicroseconds) {
  const double slept =
      host_wall_us([] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });
  EXPECT_GE(slept, 5000);
  EXPECT_LT(slept, 5e6);
}

TEST(HostWall, NeverGoesBack) {
  double last = host_wall_us();
  for (int i = 0; i < 1000; ++i) {
    const double now = host_wall_us();
    ASSERT_GE(now, last);
    last = now;
  }
}

}  // namespace
}  // namespace spb::bench
