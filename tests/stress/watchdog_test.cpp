// SPDX-License-Identifier: Apache-2.0
#include "stress/watchdog.h"

#include <gtest/gtest.h>

namespace spb {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(WatchdogDeathTest, EndsAProcessThatHangsAndSaysWithWhat) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        Watchdog watchdog(seconds(1));
        watchdog.begin("a barrier");
        std::this_thread::sleep_for(seconds(60));
      },
      testing::ExitedWithCode(124), "hangs for 1 s: a barrier");
}

TEST(Watchdog, LeavesWorkThatGoesOnAlone) {
  Watchdog watchdog(seconds(3));
  for (int i = 0; i < 35; ++i) {
    watchdog.begin("step");
    std::this_thread::sleep_for(milliseconds(100));
  }
}

}  // namespace
}  // namespace spb
