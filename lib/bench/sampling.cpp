// SPDX-License-Identifier: Apache-2.0
#include "bench/sampling.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "bench/statistics.h"
#include "core/statistics.h"

namespace spb::bench {
namespace {

double median_of(std::span<const double> values) { return median({values.begin(), values.end()}); }

/// The last ten, or all when they are fewer.
std::span<const double> recent(std::span<const double> clocks) {
  return clocks.last(std::min<size_t>(clocks.size(), 10));
}

/// Compares the two halves of the last ten clocks.
bool is_settled(std::span<const double> clocks, const SamplingLimits& limits) {
  const std::span<const double> last = recent(clocks);
  if (last.size() < 4 || last.front() <= 0) return true;  // no clock, or runs so long that it is
  const double before = median_of(last.first(last.size() / 2));
  const double after = median_of(last.last(last.size() / 2));
  return std::abs(after - before) < limits.clock_change_rel * after;
}

/// Makes the runs; the clock they ended with, 0 where unknown.
double warm_up(const std::function<Sample()>& next, const SamplingLimits& limits,
               const SamplingClock& clock, int64_t& runs) {
  std::vector<double> clocks;
  const double begin = clock.now_us();
  for (;;) {
    clocks.push_back(next().sm_clock_mhz);
    ++runs;
    const double elapsed_ms = (clock.now_us() - begin) / 1e3;
    const bool enough = runs >= limits.warmup_runs || elapsed_ms >= limits.warmup_ms;
    if (enough && (elapsed_ms >= limits.settle_ms || is_settled(clocks, limits)))
      return median_of(recent(clocks));
  }
}

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

/// Whether the samples say that they suffice.
std::optional<StopReason> enough(std::span<const double> counted, int64_t required,
                                 const SamplingLimits& limits) {
  const auto n = static_cast<int64_t>(counted.size());
  if (n < required || (n - required) % limits.check_every != 0) return {};
  const Statistics all = summarize(counted);
  if (interval_is_narrow(all, limits)) return StopReason::ci;
  if (noise_is_stable(counted, all, limits)) return StopReason::noise_stable;
  return {};
}

/// Runs that a pause follows, under a clock that stands still meanwhile.
Sampling take_rested_samples(const std::function<Sample()>& next, SamplingLimits limits,
                             const SamplingClock& clock) {
  const double rest_rel = std::exchange(limits.rest_rel, 0);
  double rested_us = 0;
  const SamplingClock without_rest{[&] { return clock.now_us() - rested_us; }, clock.pause_s};
  const auto run_and_rest = [&] {
    const double begin_us = clock.now_us();
    const Sample sample = next();
    const double end_us = clock.now_us();
    clock.pause_s(rest_rel * (end_us - begin_us) / 1e6);
    rested_us += clock.now_us() - end_us;
    return sample;
  };
  return take_samples(run_and_rest, limits, without_rest);
}

}  // namespace

const char* name(StopReason reason) {
  constexpr const char* kNames[] = {"ci", "noise_stable", "time", "samples"};
  return kNames[static_cast<int>(reason)];
}

void SamplingClock::pause(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

std::vector<double> counted_us(std::span<const Sample> samples) {
  std::vector<double> unthrottled, throttled;
  for (const Sample& sample : samples)
    (sample.throttled ? throttled : unthrottled).push_back(sample.time_us);
  return counted_times(unthrottled, throttled);
}

bool Sampling::throttled() const {
  const int64_t bad = throttled_samples();
  return bad > 0 && counted_us().size() == samples.size();
}

int64_t Sampling::throttled_samples() const {
  return std::ranges::count_if(samples, &Sample::throttled);
}

Sampling take_samples(const std::function<Sample()>& next, const SamplingLimits& limits,
                      const SamplingClock& clock) {
  if (limits.rest_rel > 0) return take_rested_samples(next, limits, clock);
  Sampling result;
  const double settled_mhz = warm_up(next, limits, clock, result.warmup_runs);
  int64_t required = std::min(limits.min_samples, limits.max_samples);
  int64_t least = std::min(limits.least_samples, required);
  std::vector<double> counted;
  size_t pauses = 0;
  double begin = clock.now_us();
  for (;;) {
    Sample sample = next();
    sample.throttled |= !sample.reasons.cap_power() && sample.sm_clock_mhz > 0 &&
                        sample.sm_clock_mhz < limits.throttled_clock_rel * settled_mhz;
    result.samples.push_back(sample);
    if (!sample.throttled) counted.push_back(sample.time_us);
    if (sample.time_us > limits.long_sample_ms * 1e3)
      required = std::min(required, limits.min_long_samples);
    least = std::min(least, required);
    const auto n = static_cast<int64_t>(counted.size());
    const auto taken = static_cast<int64_t>(result.samples.size());

    std::optional<StopReason> reason;
    const double elapsed_us = clock.now_us() - begin;
    if (!sample.throttled && elapsed_us >= limits.least_time_s * 1e6)
      reason = enough(counted, required, limits);
    // Looked at after every sample: ten samples of a second would miss the limit by as much.
    const bool is_late = elapsed_us >= limits.max_time_s * 1e6;
    if (!reason && taken >= limits.max_samples) reason = StopReason::samples;
    if (!reason && is_late && n >= least) reason = StopReason::time;
    if (!reason && is_late && taken >= least) {
      if (pauses < limits.pauses_s.size()) {
        clock.pause_s(limits.pauses_s[pauses++]);
        begin = clock.now_us();
      } else {
        reason = StopReason::time;
      }
    }
    if (!reason) continue;
    result.stop_reason = *reason;
    return result;
  }
}

}  // namespace spb::bench
