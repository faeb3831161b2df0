// SPDX-License-Identifier: Apache-2.0
#include "run/time_case.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include "bench/cache_flush.h"
#include "bench/chain_timer.h"
#include "bench/cold_timer.h"
#include "bench/host_wall.h"
#include "bench/hot_timer.h"
#include "core/statistics.h"
#include "gpu/device_info.h"
#include "run/device_context.h"
#include "run/layer_step.h"
#include "run/rotation.h"

namespace spb::run {
namespace {

struct Phase {
  const char* name;
  const char* cache;
  double time_share;  ///< of the case's time limit
  int layers = 1;     ///< that share the time
};
constexpr Phase kMapBuild{"map_build", "", 0.1}, kPlan{"plan", "", 0.15},
    kEndToEnd{"end_to_end", "", 0.15}, kHot{"kernel", "hot", 0.25}, kCold{"kernel", "cold", 0.35};
constexpr Phase kStep{"step", "", 0.15};  // of each number of layers, beyond the limit

double median_clock_mhz(std::span<const bench::Sample> samples) {
  std::vector<double> clocks;
  for (const bench::Sample& sample : samples) clocks.push_back(sample.sm_clock_mhz);
  return median(std::move(clocks));
}

/// A blocked stream that times out is told by this.
struct WaitsForDevice {};

class CaseTimer {
 public:
  CaseTimer(Session& session, const Algorithm& algorithm, const Problem& problem,
            const RunOptions& options)
      : session_(session),
        algorithm_(algorithm),
        problem_(problem),
        options_(options),
        operands_(session.operands.pointers()) {}

  CaseTimes all() {
    // Kernel last: the outputs that are checked afterwards are those of the row that is ranked.
    CaseTimes times{{map_build(), plan(), end_to_end(), hot()}, {}};
    if (cache_bytes_ > 0)
      times.phases.push_back(cold(times.fault));
    else
      times.phases.back().warning = "size of the last cache unknown: no cold times (--llc-bytes)";
    std::ranges::reverse(times.phases);
    return times;
  }

  std::vector<PhaseTime> steps(const StepAlgorithms& algorithms,
                               const std::array<Operands, 3>& operands) {
    LayerStep step(algorithms, problem_, session_.coords, operands, session_.allocator,
                   session_.stream);
    std::vector<PhaseTime> times;
    for (const int layers : options_.step_layers) {
      times.push_back(chain(
          {kStep.name, kStep.cache, kStep.time_share, layers}, [&] { step.run(layers); },
          [&] { step.release(); }));
      times.back().layers = layers;
    }
    return times;
  }

 private:
  void run() { session_.plan->run(operands_, session_.stream); }

  // What a phase made is destroyed after the clock has stopped: a caller keeps it.
  PhaseTime map_build() {
    std::unique_ptr<maps::MapStore> store;
    return chain(
        kMapBuild,
        [&] {
          store = std::make_unique<maps::MapStore>(
              maps::Relation{session_.coords, problem_.geometry}, session_.allocator);
          store->get(layer_needs(algorithm_, problem_, *store, session_.stream), session_.stream);
        },
        [&] { store.reset(); });
  }
  PhaseTime plan() {
    std::unique_ptr<Plan> fresh;
    return chain(
        kPlan, [&] { fresh = new_plan(); }, [&] { fresh.reset(); });
  }
  PhaseTime end_to_end() {
    std::unique_ptr<Plan> fresh;
    return chain(
        kEndToEnd,
        [&] {
          fresh = new_plan();
          fresh->run(operands_, session_.stream);
        },
        [&] { fresh.reset(); });
  }
  std::unique_ptr<Plan> new_plan() {
    return algorithm_.plan(problem_, session_.coords, session_.allocator, session_.stream);
  }

  PhaseTime hot() {
    if (gpu::on_host()) return wall(kHot, [&] { run(); });
    // Replays of 5 ms, shorter where the time would not do for the samples: of 1 ms at least, whose
    // events are right to a thousandth.
    const double replay_us = 0.8e6 * limits(kHot).max_time_s / options_.min_samples;
    bench::HotTimer timer(
        session_.stream, [&] { run(); }, std::clamp(replay_us, 1000.0, 5000.0));
    PhaseTime time = sampled(kHot, timer.method(), [&] { return sample_of(timer.sample()); });
    if (std::string_view(timer.method()) == "batch")
      time.warning = "run() cannot be captured in a graph: the hot time holds launch gaps";
    return time;
  }

  PhaseTime cold(std::string& fault) {
    Rotation rotation(session_, algorithm_, problem_, cache_bytes_);
    const bool rotates = rotation.sets() > 1;
    const int64_t flush_bytes = rotates ? 0 : 2 * cache_bytes_;
    PhaseTime time;
    try {
      time = gpu::on_host() ? cold_wall(rotation, flush_bytes) : cold_event(rotation, flush_bytes);
    } catch (const WaitsForDevice&) {
      time = cold_wall(rotation, flush_bytes);
      time.warning = "run() waits for the device: cold times are of the wall clock";
    }
    time.cache_method = rotates ? "rotate" : "flush";
    if (const auto set = rotation.differing_set())
      fault = fmt::format("timed outputs: buffer set {} of {} holds other bits than the first",
                          *set, rotation.sets());
    return time;
  }

  PhaseTime cold_event(Rotation& rotation, int64_t flush_bytes) {
    bench::ColdTimer timer(session_.stream, session_.allocator, flush_bytes);
    const bool replays = rotation.replay_long_runs();
    poison_outputs();
    PhaseTime time = sampled(kCold, replays ? "graph" : "event", [&] {
      const int set = rotation.next();
      const auto sample = timer.sample([&] { rotation.queue_run(); });
      if (!sample) throw WaitsForDevice();
      return sample_of(*sample, set);
    });
    time.floor_us = device_.timer_floor_us;
    return time;
  }
  PhaseTime cold_wall(Rotation& rotation, int64_t flush_bytes) {
    bench::CacheFlush flush(session_.stream, session_.allocator, flush_bytes);
    // A set's first run would be timed with the pages of its workspace being made.
    rotation.run_all();
    poison_outputs();
    return sampled(kCold, wall_method(), [&] {
      flush.run();
      const int set = rotation.next();
      return sample_of({wall_us([&] { rotation.queue_run(); }), 0}, set);
    });
  }

  /// The device's part of work in which the host waits; the host's clock beside it.
  PhaseTime chain(const Phase& phase, const std::function<void()>& work,
                  const std::function<void()>& after) {
    if (gpu::on_host()) return wall(phase, work, after);
    constexpr double kWallShare = 0.3;
    PhaseTime walled =
        wall({phase.name, phase.cache, kWallShare * phase.time_share, phase.layers}, work, after);
    bench::ChainTimer timer(session_.stream);
    try {
      PhaseTime time =
          sampled({phase.name, phase.cache, (1 - kWallShare) * phase.time_share}, "event", [&] {
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
          phase.name);
      return walled;
    }
  }

  static const char* wall_method() { return gpu::on_host() ? "host_wall" : "sync_wall"; }
  /// Until the stream has drained.
  double wall_us(const std::function<void()>& work) {
    return bench::host_wall_us([&] {
      work();
      session_.stream.synchronize();
    });
  }
  /// `after` is not timed.
  PhaseTime wall(
      const Phase& phase, const std::function<void()>& work,
      const std::function<void()>& after = [] {}) {
    return sampled(phase, wall_method(), [&] {
      const double time_us = wall_us(work) / phase.layers;
      after();
      return sample_of({time_us, 0});
    });
  }

  /// Between two samples: looks at the device, too.
  bench::Sample sample_of(const bench::DeviceSample& timed, int set = 0) {
    const gpu::DeviceState& state = device_.watch.poll();
    return {timed.time_us,  timed.sm_clock_mhz, set,
            options_.round, state.throttled,    state.power_capped};
  }

  PhaseTime sampled(const Phase& phase, const char* method,
                    const std::function<bench::Sample()>& next) {
    PhaseTime time{phase.name, phase.cache, method, "", bench::take_samples(next, limits(phase)),
                   {},         {}};
    time.statistics = bench::summarize(time.sampling.counted_us());
    time.conditions = device_.watch.conditions();
    // The stamps around the runs know better than a reading between them.
    if (const double mhz = median_clock_mhz(time.sampling.samples); mhz > 0)
      time.conditions.sm_clock_mhz = mhz;
    return time;
  }

  bench::SamplingLimits limits(const Phase& phase) const {
    const double seconds = phase.time_share * options_.max_time_s / options_.rounds;
    bench::SamplingLimits limits;
    limits.warmup_ms = std::min(limits.warmup_ms, seconds * 250);
    limits.settle_ms = std::min(options_.settle_s, seconds) * 1e3;
    limits.rest_rel = options_.rest_rel;
    limits.min_samples = options_.min_samples;
    limits.min_long_samples = limits.least_samples = (options_.min_samples + 2) / 3;
    limits.least_time_s = seconds / 4;
    limits.max_time_s = seconds;
    return limits;
  }

  void poison_outputs() { session_.allocator.poison(gpu::Tag::output, 0xFF, session_.stream); }

  Session& session_;
  const Algorithm& algorithm_;
  const Problem& problem_;
  const RunOptions& options_;
  Operands operands_;
  const int64_t cache_bytes_ = options_.llc_bytes > 0 ? options_.llc_bytes
                                                      : gpu::last_cache_bytes();
  DeviceContext& device_ = device_context();
};

}  // namespace

CaseTimes time_case(Session& session, const Algorithm& algorithm, const Problem& problem,
                    const RunOptions& options) {
  session.allocator.poison(gpu::Tag::output, 0xFF, session.stream);
  return CaseTimer(session, algorithm, problem, options).all();
}

std::vector<PhaseTime> time_steps(Session& session, const StepAlgorithms& algorithms,
                                  const Problem& problem, const std::array<Operands, 3>& operands,
                                  const RunOptions& options) {
  return CaseTimer(session, *algorithms.front(), problem, options).steps(algorithms, operands);
}

}  // namespace spb::run
