// SPDX-License-Identifier: Apache-2.0
#include "bench/device_watch.h"

#include <gtest/gtest.h>

namespace spb::bench {
namespace {

struct FakeMonitor final : gpu::DeviceMonitor {
  int reads = 0;
  gpu::DeviceState read() override {
    gpu::DeviceState state;
    state.power_w = 100.0 * ++reads;
    state.reasons = {gpu::ThrottleReason::sw_power_cap};
    if (reads == 1) state.reasons |= {gpu::ThrottleReason::hw_thermal};
    return state;
  }
};

TEST(DeviceWatch, WithoutAMonitorNothingIsKnown) {
  DeviceWatch watch(nullptr);
  EXPECT_FALSE(watch.poll().reasons.throttle());
  const Conditions seen = watch.conditions();
  EXPECT_FALSE(seen.power_w);
  EXPECT_EQ(seen.reasons.text(), "");
}

TEST(DeviceWatch, ReadsNowAndThenAndKeepsAllReasons) {
  FakeMonitor monitor;
  DeviceWatch watch(&monitor);
  EXPECT_TRUE(watch.poll().reasons.throttle());
  for (int i = 0; i < 100; ++i) watch.poll();
  EXPECT_LE(monitor.reads, 2) << "every call reads";
  const Conditions seen = watch.conditions();
  EXPECT_GE(seen.power_w.value(), 100);
  EXPECT_EQ(seen.reasons.text(), "hw_thermal sw_power_cap");
  EXPECT_FALSE(seen.temp_c);
}

TEST(DeviceWatch, APhaseHasOneReadingAtLeast) {
  FakeMonitor monitor;
  DeviceWatch watch(&monitor);
  watch.poll();
  watch.conditions();
  EXPECT_EQ(watch.conditions().reasons.text(), "sw_power_cap");
}

}  // namespace
}  // namespace spb::bench
