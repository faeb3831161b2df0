// SPDX-License-Identifier: Apache-2.0
#include "bench/sampling.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace spb::bench {
namespace {

/// A machine whose clock moves by what each sample takes.
struct Machine {
  std::function<double()> next_us;
  std::function<double(int64_t)> clock_mhz = [](int64_t) { return 0.0; };  // by number of the call
  double now_us = 1e9;
  int64_t calls = 0;
  bool power_capped = false, pauses_pass = false;
  std::vector<double> pauses{};

  Sampling sample(const SamplingLimits& limits = {}) {
    const SamplingClock clock{[this] { return now_us; },
                              [this](double seconds) {
                                pauses.push_back(seconds);
                                now_us += pauses_pass ? seconds * 1e6 : 0;
                              }};
    return take_samples(
        [this] {
          Sample sample;
          sample.time_us = next_us();
          sample.sm_clock_mhz = clock_mhz(calls++);
          if (power_capped) sample.reasons = {gpu::ThrottleReason::sw_power_cap};
          now_us += sample.time_us;
          return sample;
        },
        limits, clock);
  }
};

TEST(TakeSamples, SteadyTimesStopAtTheMinimumByTheInterval) {
  Machine machine{[] { return 1000.0; }};
  const Sampling result = machine.sample();
  EXPECT_EQ(result.stop_reason, StopReason::ci);
  EXPECT_EQ(result.samples.size(), 30u);
  EXPECT_EQ(result.warmup_runs, 10);
  EXPECT_EQ(machine.calls, 40);
}

TEST(TakeSamples, WarmUpIsTenRunsWithinHalfASecond) {
  Machine slow{[] { return 40e3; }};
  EXPECT_EQ(slow.sample().warmup_runs, 10);
  Machine slower{[] { return 100e3; }};
  EXPECT_EQ(slower.sample().warmup_runs, 5);
}

TEST(TakeSamples, EveryRunIsFollowedByItsRestWhichCountsForNoLimit) {
  Machine machine{[] { return 1000.0; }};
  machine.pauses_pass = true;
  SamplingLimits limits;
  limits.rest_rel = 2.5;
  limits.max_time_s = 0.1;
  limits.min_samples = 60;
  const Sampling result = machine.sample(limits);
  EXPECT_EQ(result.warmup_runs, 10);
  EXPECT_EQ(result.samples.size(), 60u);  // 60 ms of runs, 150 ms of rest
  ASSERT_EQ(machine.pauses.size(), 70u);
  for (const double pause_s : machine.pauses) EXPECT_NEAR(pause_s, 2.5e-3, 1e-9);
}

TEST(TakeSamples, WarmUpLastsUntilTheClockHasSettled) {
  Machine machine{
      [] { return 1000.0; },
      [](int64_t call) { return std::min(1980.0, 345 + 20.0 * static_cast<double>(call)); }};
  const Sampling result = machine.sample();
  EXPECT_GT(result.warmup_runs, 60);
  EXPECT_LT(result.warmup_runs, 100);
  EXPECT_EQ(result.throttled_samples(), 0);
}

TEST(TakeSamples, AClockThatNeverSettlesCostsTheSettleTimeOnly) {
  Machine machine{[] { return 1000.0; },
                  [](int64_t call) { return 1000.0 + 20.0 * static_cast<double>(call); }};
  SamplingLimits limits;
  limits.settle_ms = 200;
  limits.clock_change_rel = 1e-9;
  EXPECT_EQ(machine.sample(limits).warmup_runs, 200);
}

TEST(TakeSamples, ThrottledSamplesAreKeptButDoNotCount) {
  // Every third sample runs at two thirds of the clock and takes half again as long.
  Machine machine{nullptr,
                  [](int64_t call) { return call > 12 && call % 3 == 0 ? 1300.0 : 1980.0; }};
  machine.next_us = [&machine] {
    return machine.clock_mhz(machine.calls) < 1900 ? 1500.0 : 1000.0;
  };
  const Sampling result = machine.sample();
  EXPECT_FALSE(result.throttled());
  EXPECT_GE(result.throttled_samples(), 10);
  EXPECT_EQ(result.counted_us(), std::vector<double>(30, 1000.0));
  EXPECT_TRUE(machine.pauses.empty());
}

TEST(TakeSamples, APowerLimitIsNoThrottling) {
  Machine machine{[] { return 1000.0; }, [](int64_t call) { return call > 12 ? 1500.0 : 1980.0; }};
  machine.power_capped = true;
  EXPECT_EQ(machine.sample().throttled_samples(), 0);
}

TEST(TakeSamples, AThrottledDeviceGetsPausesAndThenARow) {
  Machine machine{[] { return 10e3; }, [](int64_t call) { return call > 12 ? 1300.0 : 1980.0; }};
  SamplingLimits limits;
  limits.max_time_s = 0.5;
  const Sampling result = machine.sample(limits);
  EXPECT_TRUE(result.throttled());
  EXPECT_EQ(machine.pauses, (std::vector<double>{1, 4, 16}));
  EXPECT_EQ(result.counted_us().size(), result.samples.size()) << "a row is never empty";
  EXPECT_EQ(result.stop_reason, StopReason::time);
}

TEST(TakeSamples, ThrottlingThatEndsInAPauseIsForgotten) {
  Machine machine{[] { return 10e3; }};
  machine.clock_mhz = [&](int64_t call) {
    return call > 12 && machine.pauses.empty() ? 1300.0 : 1980.0;
  };
  SamplingLimits limits;
  limits.max_time_s = 0.5;
  const Sampling result = machine.sample(limits);
  EXPECT_FALSE(result.throttled());
  EXPECT_EQ(machine.pauses, std::vector<double>{1});
  EXPECT_EQ(result.counted_us().size(), 30u);
}

TEST(TakeSamples, StatisticsEndNothingBeforeTheLeastTime) {
  Machine machine{[] { return 1000.0; }};
  SamplingLimits limits;
  limits.least_time_s = 0.1;
  const Sampling result = machine.sample(limits);
  EXPECT_EQ(result.samples.size(), 100u);
  EXPECT_EQ(result.stop_reason, StopReason::ci);
}

TEST(TakeSamples, LongSamplesNeedTenOnly) {
  Machine machine{[] { return 250e3; }};
  const Sampling result = machine.sample();
  EXPECT_EQ(result.samples.size(), 10u);
  EXPECT_EQ(result.stop_reason, StopReason::ci);
}

TEST(TakeSamples, NoisyTimesStopWhenTheNoiseIsStable) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> times(1000, 200);
  Machine machine{[&] { return times(random); }};
  const Sampling result = machine.sample();
  EXPECT_EQ(result.stop_reason, StopReason::noise_stable);
  EXPECT_GE(result.samples.size(), 100u);
  EXPECT_EQ(result.samples.size() % 10, 0u);
}

/// Spreads further with every sample: neither interval nor noise settles.
std::function<double()> diverging(double base_us) {
  return [base_us, n = 0.0]() mutable {
    n += 1;
    return base_us * (1 + 0.3 * n * (static_cast<int>(n) % 2));
  };
}

TEST(TakeSamples, TheClockStopsWhatNeverSettles) {
  Machine machine{diverging(10e3)};
  SamplingLimits limits;
  limits.warmup_runs = 1;
  const double begin = machine.now_us + 10e3;
  const Sampling result = machine.sample(limits);
  EXPECT_EQ(result.stop_reason, StopReason::time);
  EXPECT_GE(machine.now_us - begin, 15e6);
  EXPECT_LT(machine.now_us - begin - result.samples.back().time_us, 15e6) << "stopped too late";
}

TEST(TakeSamples, TheClockComesBeforeTheMinimumButNotBeforeTheLeast) {
  Machine machine{diverging(60e3)};
  SamplingLimits limits;
  limits.max_time_s = 0.3;
  const Sampling result = machine.sample(limits);
  EXPECT_EQ(result.samples.size(), 10u);
  EXPECT_EQ(result.stop_reason, StopReason::time);
}

TEST(TakeSamples, LongSamplesStopAtTheirMinimum) {
  Machine machine{[n = 0]() mutable { return ++n % 2 ? 3e6 : 6e6; }};
  const Sampling result = machine.sample();
  EXPECT_EQ(result.samples.size(), 10u);
  EXPECT_EQ(result.stop_reason, StopReason::time);
}

TEST(TakeSamples, TheCountIsBounded) {
  Machine machine{diverging(0.001)};
  SamplingLimits limits;
  limits.warmup_ms = 0;
  limits.max_samples = 1000;
  const Sampling result = machine.sample(limits);
  EXPECT_EQ(result.stop_reason, StopReason::samples);
  EXPECT_EQ(result.samples.size(), 1000u);
}

TEST(TakeSamples, SmallLimitsAreKept) {
  Machine machine{[] { return 10.0; }};
  SamplingLimits limits;
  limits.warmup_runs = 1;
  limits.warmup_ms = 0;
  limits.max_samples = 3;
  const Sampling result = machine.sample(limits);
  EXPECT_EQ(result.warmup_runs, 1);
  EXPECT_EQ(result.samples.size(), 3u);
  EXPECT_EQ(result.stop_reason, StopReason::samples);
}

TEST(TakeSamples, SamplesKeepTheirOrder) {
  Machine machine{[n = 0]() mutable { return 1.0 + ++n; }};
  SamplingLimits limits;
  limits.warmup_runs = 1;
  limits.max_samples = 4;
  EXPECT_EQ(machine.sample(limits).counted_us(), (std::vector<double>{3, 4, 5, 6}));
}

TEST(StopReasonName, IsThatOfTheRecords) {
  EXPECT_STREQ(name(StopReason::ci), "ci");
  EXPECT_STREQ(name(StopReason::noise_stable), "noise_stable");
  EXPECT_STREQ(name(StopReason::time), "time");
  EXPECT_STREQ(name(StopReason::samples), "samples");
}

}  // namespace
}  // namespace spb::bench
