// SPDX-License-Identifier: Apache-2.0
// How many samples are taken, which count, and why it stopped (measurement.md, sections 7 and 10).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bench/host_wall.h"
#include "gpu/throttle_reasons.h"

namespace spb::bench {

/// One timed run.
struct Sample {
  double time_us = 0;
  double sm_clock_mhz = 0;  ///< while it ran; 0 where unknown
  int set = 0;              ///< buffer set it ran on
  int round = 0;
  bool throttled = false;        ///< its time is not that of the device
  gpu::ThrottleReasons reasons;  ///< why clocks were held down; power alone is no throttling
};

/// Limits of one round of one case.
struct SamplingLimits {
  int64_t warmup_runs = 10;        ///< at least, within warmup_ms
  double warmup_ms = 500;          ///< for them; one run is always made
  double settle_ms = 5000;         ///< at most, until the clock has settled
  double clock_change_rel = 0.01;  ///< over ten runs: a clock that has settled
  int64_t min_samples = 30;        ///< at least, within max_time_s
  int64_t min_long_samples = 10;   ///< instead, when a sample took longer than long_sample_ms
  int64_t least_samples = 10;      ///< whatever the time
  double long_sample_ms = 200;
  int64_t check_every = 10;          ///< samples between two looks at the statistics
  double ci_half_width_rel = 0.005;  ///< of the median's 95 % interval, relative to the median
  int64_t noise_min_samples = 100;   ///< before noise can count as stable
  double noise_change_rel = 0.05;    ///< of IQR / median over the last half of the samples
  double least_time_s = 0;           ///< of sampling, before statistics may end it: what drifts
                                     ///< must have time to show
  double max_time_s = 15;            ///< of sampling
  int64_t max_samples = 10000;
  /// Pause after each run, relative to its duration; of no other limit's time. A device at its
  /// power limit lowers its clock by what came before, and pauses keep it near what single runs
  /// get.
  double rest_rel = 0;
  double throttled_clock_rel = 0.9;        ///< of the settled clock: below it a sample is throttled
  std::vector<double> pauses_s{1, 4, 16};  ///< before throttled samples are taken again
};

enum class StopReason { ci, noise_stable, time, samples };
const char* name(StopReason reason);

/// Times of the samples of one round that count, by the rule of counted_times().
std::vector<double> counted_us(std::span<const Sample> samples);

struct Sampling {
  std::vector<Sample> samples;  ///< in the order taken; warm-up runs are not among them
  int64_t warmup_runs = 0;
  StopReason stop_reason = StopReason::samples;

  /// Times of the samples that count.
  std::vector<double> counted_us() const { return bench::counted_us(samples); }
  /// Whether throttled ones are among them: the row's status says so.
  bool throttled() const;
  int64_t throttled_samples() const;
};

/// What take_samples needs of the world; tests replace it.
struct SamplingClock {
  std::function<double()> now_us = [] { return host_wall_us(); };
  std::function<void(double)> pause_s = pause;
  static void pause(double seconds);
};

/// Calls `next` (prepares, runs once) for warm-up and then until the first rule is true.
Sampling take_samples(const std::function<Sample()>& next, const SamplingLimits& limits = {},
                      const SamplingClock& clock = {});

}  // namespace spb::bench
