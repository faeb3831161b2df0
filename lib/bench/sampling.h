// How many samples are taken and why it stopped (measurement.md, section 7).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bench/host_wall.h"

namespace spb::bench {

/// Limits of one round of one case.
struct SamplingLimits {
  int64_t warmup_runs = 10;       ///< at least
  double warmup_ms = 500;         ///< at least
  double warmup_max_ms = 5000;    ///< at most, whatever the other two ask for
  int64_t min_samples = 30;       ///< at least
  int64_t min_long_samples = 10;  ///< instead, when a sample took longer than long_sample_ms
  double long_sample_ms = 200;
  int64_t check_every = 10;          ///< samples between two looks at the statistics
  double ci_half_width_rel = 0.005;  ///< of the median's 95 % interval, relative to the median
  int64_t noise_min_samples = 100;   ///< before noise can count as stable
  double noise_change_rel = 0.05;    ///< of IQR / median over the last half of the samples
  double max_time_s = 15;            ///< of sampling; the minimum counts of samples come first
  int64_t max_samples = 10000;
};

enum class StopReason { ci, noise_stable, time, samples };
const char* name(StopReason reason);

struct Sampling {
  std::vector<double> samples_us;  ///< in the order taken; warm-up runs are not among them
  int64_t warmup_runs = 0;
  StopReason stop_reason = StopReason::samples;
};

/// Calls `sample_us` (prepares, runs once, returns the run's time in microseconds) for warm-up and
/// then until the first rule is true. `clock_us` is replaced by tests.
Sampling take_samples(
    const std::function<double()>& sample_us, const SamplingLimits& limits = {},
    const std::function<double()>& clock_us = [] { return host_wall_us(); });

}  // namespace spb::bench
