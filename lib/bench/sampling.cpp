#include "bench/sampling.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "bench/statistics.h"

namespace spb::bench {
namespace {

bool interval_is_narrow(const Statistics& all, const SamplingLimits& limits) {
  return all.ci95_lo && (*all.ci95_hi - *all.ci95_lo) / 2 <= limits.ci_half_width_rel * all.median;
}

/// Compares the noise of all samples with that of their first half.
bool noise_is_stable(std::span<const double> samples, const Statistics& all,
                     const SamplingLimits& limits) {
  if (all.samples < limits.noise_min_samples) return false;
  const Statistics half = summarize(samples.first(samples.size() / 2));
  return std::abs(all.noise_rel - half.noise_rel) < limits.noise_change_rel * half.noise_rel;
}

std::optional<StopReason> stop_reason(std::span<const double> samples, double elapsed_us,
                                      int64_t required, const SamplingLimits& limits) {
  const auto n = static_cast<int64_t>(samples.size());
  if (n < required) return {};
  if ((n - required) % limits.check_every == 0) {
    const Statistics all = summarize(samples);
    if (interval_is_narrow(all, limits)) return StopReason::ci;
    if (noise_is_stable(samples, all, limits)) return StopReason::noise_stable;
  }
  // Looked at after every sample: ten samples of a second would miss the limit by as much.
  if (elapsed_us >= limits.max_time_s * 1e6) return StopReason::time;
  if (n >= limits.max_samples) return StopReason::samples;
  return {};
}

}  // namespace

const char* name(StopReason reason) {
  constexpr const char* kNames[] = {"ci", "noise_stable", "time", "samples"};
  return kNames[static_cast<int>(reason)];
}

Sampling take_samples(const std::function<double()>& sample_us, const SamplingLimits& limits,
                      const std::function<double()>& clock_us) {
  Sampling result;
  const double warmup_begin = clock_us();
  for (double elapsed_ms = 0;
       elapsed_ms < limits.warmup_max_ms &&
       (result.warmup_runs < limits.warmup_runs || elapsed_ms < limits.warmup_ms);
       ++result.warmup_runs, elapsed_ms = (clock_us() - warmup_begin) / 1e3)
    sample_us();

  const double begin = clock_us();
  int64_t required = std::min(limits.min_samples, limits.max_samples);
  for (;;) {
    const double time_us = sample_us();
    result.samples_us.push_back(time_us);
    if (time_us > limits.long_sample_ms * 1e3)
      required = std::min(required, limits.min_long_samples);
    if (const auto reason = stop_reason(result.samples_us, clock_us() - begin, required, limits)) {
      result.stop_reason = *reason;
      return result;
    }
  }
}

}  // namespace spb::bench
