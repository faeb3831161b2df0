#include "bench/sampling.h"

#include <gtest/gtest.h>
#include <random>

namespace spb::bench {
namespace {

/// A machine whose clock moves by what each sample takes.
struct Machine {
  std::function<double()> next_us;
  double now_us = 1e9;
  int64_t calls = 0;

  Sampling sample(const SamplingLimits& limits = {}) {
    return take_samples(
        [this] {
          const double time = next_us();
          now_us += time;
          ++calls;
          return time;
        },
        limits, [this] { return now_us; });
  }
};

TEST(TakeSamples, SteadyTimesStopAtTheMinimumByTheInterval) {
  Machine machine{[] { return 1000.0; }};
  const Sampling result = machine.sample();
  EXPECT_EQ(result.stop_reason, StopReason::ci);
  EXPECT_EQ(result.samples_us.size(), 30u);
  EXPECT_EQ(result.warmup_runs, 500);  // 500 ms of 1 ms runs
  EXPECT_EQ(machine.calls, 530);
}

TEST(TakeSamples, WarmUpIsAtLeastTenRunsAndAtMostFiveSeconds) {
  Machine slow{[] { return 100e3; }};
  EXPECT_EQ(slow.sample().warmup_runs, 10);
  Machine slower{[] { return 2e6; }};
  EXPECT_EQ(slower.sample().warmup_runs, 3);
}

TEST(TakeSamples, LongSamplesNeedTenOnly) {
  Machine machine{[] { return 250e3; }};
  const Sampling result = machine.sample();
  EXPECT_EQ(result.samples_us.size(), 10u);
  EXPECT_EQ(result.stop_reason, StopReason::ci);
}

TEST(TakeSamples, NoisyTimesStopWhenTheNoiseIsStable) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> times(1000, 200);
  Machine machine{[&] { return times(random); }};
  const Sampling result = machine.sample();
  EXPECT_EQ(result.stop_reason, StopReason::noise_stable);
  EXPECT_GE(result.samples_us.size(), 100u);
  EXPECT_EQ(result.samples_us.size() % 10, 0u);
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
  limits.warmup_runs = 0;
  limits.warmup_ms = 0;
  const double begin = machine.now_us;
  const Sampling result = machine.sample(limits);
  EXPECT_EQ(result.stop_reason, StopReason::time);
  EXPECT_GE(machine.now_us - begin, 15e6);
  EXPECT_LT(machine.now_us - begin - result.samples_us.back(), 15e6) << "stopped too late";
}

TEST(TakeSamples, TheMinimumComesBeforeTheClock) {
  Machine machine{[n = 0]() mutable { return ++n % 2 ? 3e6 : 6e6; }};
  const Sampling result = machine.sample();
  EXPECT_EQ(result.samples_us.size(), 10u);
  EXPECT_EQ(result.stop_reason, StopReason::time);
}

TEST(TakeSamples, TheCountIsBounded) {
  Machine machine{diverging(0.001)};
  SamplingLimits limits;
  limits.warmup_ms = 0;
  limits.max_samples = 1000;
  const Sampling result = machine.sample(limits);
  EXPECT_EQ(result.stop_reason, StopReason::samples);
  EXPECT_EQ(result.samples_us.size(), 1000u);
}

TEST(TakeSamples, SmallLimitsAreKept) {
  Machine machine{[] { return 10.0; }};
  SamplingLimits limits;
  limits.warmup_runs = 1;
  limits.warmup_ms = 0;
  limits.max_samples = 3;
  const Sampling result = machine.sample(limits);
  EXPECT_EQ(result.warmup_runs, 1);
  EXPECT_EQ(result.samples_us.size(), 3u);
  EXPECT_EQ(result.stop_reason, StopReason::samples);
}

TEST(TakeSamples, SamplesKeepTheirOrder) {
  Machine machine{[n = 0]() mutable { return 1.0 + ++n; }};
  SamplingLimits limits;
  limits.warmup_runs = 0;
  limits.warmup_ms = 0;
  limits.max_samples = 4;
  EXPECT_EQ(machine.sample(limits).samples_us, (std::vector<double>{2, 3, 4, 5}));
}

TEST(StopReasonName, IsThatOfTheRecords) {
  EXPECT_STREQ(name(StopReason::ci), "ci");
  EXPECT_STREQ(name(StopReason::noise_stable), "noise_stable");
  EXPECT_STREQ(name(StopReason::time), "time");
  EXPECT_STREQ(name(StopReason::samples), "samples");
}

}  // namespace
}  // namespace spb::bench
