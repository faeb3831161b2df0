// SPDX-License-Identifier: Apache-2.0
#include "engines/native/phase_timer.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <utility>
#include <vector>

#include "bench/chain_timer.h"
#include "bench/host_wall.h"
#include "core/statistics.h"
#include "gpu/device_info.h"

namespace spb::engines {
namespace {

double median_clock_mhz(std::span<const bench::Sample> samples) {
  std::vector<double> clocks;
  for (const bench::Sample& sample : samples) clocks.push_back(sample.sm_clock_mhz);
  return median(std::move(clocks));
}

}  // namespace

PhaseTime PhaseTimer::chain(const PhaseSpec& phase, const std::function<void()>& work,
                            const std::function<void()>& after) {
  if (gpu::on_host()) return wall(phase, work, after);
  constexpr double kWallShare = 0.3;
  PhaseTime walled =
      wall({phase.phase, phase.cache, kWallShare * phase.time_share, phase.layers}, work, after);
  bench::ChainTimer timer(stream_);
  try {
    PhaseTime time =
        sampled({phase.phase, phase.cache, (1 - kWallShare) * phase.time_share}, "event", [&] {
          auto sample = timer.sample(work);
          after();
          if (!sample) throw WaitsForDevice();
          sample->time_us /= phase.layers;
          return sample_of(*sample);
        });
    time.wall_median_us = walled.statistics.median;
    return time;
  } catch (const WaitsForDevice&) {
    walled.warning = fmt::format(
        "{} waits for the device past its stream: its time is of the "
        "wall clock",
        name(phase.phase));
    return walled;
  }
}

PhaseTime PhaseTimer::wall(const PhaseSpec& phase, const std::function<void()>& work,
                           const std::function<void()>& after) {
  return sampled(phase, wall_method(), [&] {
    const double time_us = wall_us(work) / phase.layers;
    after();
    return sample_of({time_us, 0});
  });
}

PhaseTime PhaseTimer::sampled(const PhaseSpec& phase, const char* method,
                              const std::function<bench::Sample()>& next) {
  PhaseTime time{phase.phase, phase.cache, method, "", bench::take_samples(next, limits(phase)),
                 {},          {}};
  time.statistics = bench::summarize(time.sampling.counted_us());
  time.conditions = device_.watch.conditions();
  // The stamps around the runs know better than a reading between them.
  if (const double mhz = median_clock_mhz(time.sampling.samples); mhz > 0)
    time.conditions.sm_clock_mhz = mhz;
  return time;
}

const char* PhaseTimer::wall_method() { return gpu::on_host() ? "host_wall" : "sync_wall"; }

double PhaseTimer::wall_us(const std::function<void()>& work) {
  return bench::host_wall_us([&] {
    work();
    stream_.synchronize();
  });
}

bench::Sample PhaseTimer::sample_of(const bench::DeviceSample& timed, int set) {
  const gpu::DeviceState& state = device_.watch.poll();
  return {timed.time_us,   timed.sm_clock_mhz,       set,
          protocol_.round, state.reasons.throttle(), state.reasons};
}

bench::SamplingLimits PhaseTimer::limits(const PhaseSpec& phase) const {
  const double seconds = phase.time_share * protocol_.max_time_s / protocol_.rounds;
  bench::SamplingLimits limits;
  limits.warmup_ms = std::min(limits.warmup_ms, seconds * 250);
  limits.settle_ms = std::min(protocol_.settle_s, seconds) * 1e3;
  limits.rest_rel = protocol_.rest_rel;
  limits.min_samples = protocol_.min_samples;
  limits.min_long_samples = limits.least_samples = (protocol_.min_samples + 2) / 3;
  limits.least_time_s = seconds / 4;
  limits.max_time_s = seconds;
  return limits;
}

}  // namespace spb::engines
