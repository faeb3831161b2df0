// SPDX-License-Identifier: Apache-2.0
#include "engines/native/time_phases.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <ranges>
#include <string_view>

#include "bench/cache_flush.h"
#include "bench/cold_timer.h"
#include "bench/hot_timer.h"
#include "engines/native/layer_step.h"
#include "engines/native/phase_timer.h"
#include "engines/native/rotation.h"
#include "gpu/device_info.h"

namespace spb::engines {
namespace {

constexpr PhaseSpec kMapBuild{Phase::map_build, CacheState::none, 0.1},
    kPlan{Phase::plan, CacheState::none, 0.15},
    kEndToEnd{Phase::end_to_end, CacheState::none, 0.15},
    kHot{Phase::kernel, CacheState::hot, 0.25}, kCold{Phase::kernel, CacheState::cold, 0.35};

class CaseTimer {
 public:
  CaseTimer(Session& session, const Algorithm& algorithm, const Problem& problem,
            const bench::Protocol& protocol)
      : session_(session),
        algorithm_(algorithm),
        problem_(problem),
        protocol_(protocol),
        timer_(session.stream, protocol),
        operands_(session.operands.pointers()) {}

  PhaseTimes all(std::span<const TimedPhase> phases) {
    PhaseTimes times;
    for (const TimedPhase phase : phases | std::views::reverse)
      if (phase != TimedPhase::kernel_cold || cache_bytes_ > 0)
        times.phases.push_back(timed(phase, times.fault));
      else if (!times.phases.empty())
        times.phases.back().warning = "size of the last cache unknown: no cold times (--llc-bytes)";
    std::ranges::reverse(times.phases);
    compare_end_to_end(times);
    return times;
  }

 private:
  PhaseTime timed(TimedPhase phase, std::string& fault) {
    switch (phase) {
      case TimedPhase::kernel_cold:
        return cold(fault);
      case TimedPhase::kernel_hot:
        return hot();
      case TimedPhase::end_to_end:
        return end_to_end();
      case TimedPhase::plan:
        return plan();
      default:
        return map_build();
    }
  }

  void run() { session_.plan->run(operands_, session_.stream); }

  bool has_partner() const { return problem_.geometry.kind == ConvKind::inverse; }
  /// A store without maps. A layer and its partner share one.
  std::unique_ptr<maps::MapStore> new_store() {
    return std::make_unique<maps::MapStore>(maps::Relation{session_.coords, problem_.geometry},
                                            session_.allocator, algorithm_.hash);
  }
  void build(const Problem& of, maps::MapStore& store) {
    store.get(layer_needs(algorithm_, of, session_.coords.view(), store, session_.stream),
              session_.stream);
  }

  // What a phase made is destroyed after the clock has stopped: a caller keeps it.
  PhaseTime map_build() {
    std::unique_ptr<maps::MapStore> store;
    PhaseTime time = timer_.chain(
        kMapBuild,
        [&] {
          store = new_store();
          if (has_partner()) build(partner_of(problem_), *store);
          build(problem_, *store);
        },
        [&] { store.reset(); });
    if (has_partner()) time.map_source = "own";
    return time;
  }
  PhaseTime plan() {
    if (has_partner()) return plan_beside_partner();
    std::unique_ptr<Plan> fresh;
    return timer_.chain(
        kPlan, [&] { fresh = new_plan(); }, [&] { fresh.reset(); });
  }
  /// What an inverse layer adds where its partner's training step has its maps.
  PhaseTime plan_beside_partner() {
    std::unique_ptr<maps::MapStore> store;
    std::unique_ptr<Plan> fresh;
    const auto begin_anew = [&] {
      fresh.reset();
      store = new_store();
      build(partner_of(problem_), *store);
      session_.stream.synchronize();
    };
    begin_anew();
    PhaseTime time = timer_.chain(
        kPlan,
        [&] { fresh = algorithm_.plan(problem_, *store, session_.allocator, session_.stream); },
        begin_anew);
    time.map_source = "partner";
    return time;
  }
  PhaseTime end_to_end() {
    std::unique_ptr<Plan> fresh;
    PhaseTime time = timer_.chain(
        kEndToEnd,
        [&] {
          fresh = new_plan();
          fresh->run(operands_, session_.stream);
        },
        [&] { fresh.reset(); });
    end_to_end_hash_ = session_.operands.output_hash(session_.stream);
    if (has_partner()) time.map_source = "own";
    return time;
  }
  /// The last of its plans ran once: what that stored must be what runs of the other phases did.
  void compare_end_to_end(PhaseTimes& times) {
    if (!end_to_end_hash_ || !session_.plan->description().arithmetic.deterministic) return;
    if (session_.operands.output_hash(session_.stream) == *end_to_end_hash_)
      ++times.equal_runs;
    else if (times.fault.empty())
      times.fault = "timed outputs: the only run of a fresh plan (end_to_end) stored other bits";
  }
  std::unique_ptr<Plan> new_plan() {
    return algorithm_.plan(problem_, session_.coords, session_.allocator, session_.stream);
  }

  PhaseTime hot() {
    if (gpu::on_host()) return timer_.wall(kHot, [&] { run(); });
    // Replays of 5 ms, shorter where the time would not do for the samples: of 1 ms at least, whose
    // events are right to a thousandth.
    const double replay_us = 0.8e6 * timer_.limits(kHot).max_time_s / protocol_.min_samples;
    bench::HotTimer timer(
        session_.stream, [&] { run(); }, std::clamp(replay_us, 1000.0, 5000.0));
    PhaseTime time =
        timer_.sampled(kHot, timer.method(), [&] { return timer_.sample_of(timer.sample()); });
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
    PhaseTime time = timer_.sampled(kCold, replays ? "graph" : "event", [&] {
      const int set = rotation.next();
      const auto sample = timer.sample([&] { rotation.queue_run(); });
      if (!sample) throw WaitsForDevice();
      return timer_.sample_of(*sample, set);
    });
    time.floor_us = timer_.timer_floor_us();
    return time;
  }
  PhaseTime cold_wall(Rotation& rotation, int64_t flush_bytes) {
    bench::CacheFlush flush(session_.stream, session_.allocator, flush_bytes);
    // A set's first run would be timed with the pages of its workspace being made.
    rotation.run_all();
    poison_outputs();
    return timer_.sampled(kCold, PhaseTimer::wall_method(), [&] {
      flush.run();
      const int set = rotation.next();
      return timer_.sample_of({timer_.wall_us([&] { rotation.queue_run(); }), 0}, set);
    });
  }

  void poison_outputs() { session_.allocator.poison(gpu::Tag::output, 0xFF, session_.stream); }

  Session& session_;
  const Algorithm& algorithm_;
  const Problem& problem_;
  const bench::Protocol& protocol_;
  PhaseTimer timer_;
  Operands operands_;
  const int64_t cache_bytes_ = protocol_.llc_bytes > 0 ? protocol_.llc_bytes
                                                       : gpu::last_cache_bytes();
  std::optional<uint64_t> end_to_end_hash_;
};

}  // namespace

PhaseTimes time_phases(Session& session, const Algorithm& algorithm, const Problem& problem,
                       std::span<const TimedPhase> phases, const bench::Protocol& protocol) {
  session.allocator.poison(gpu::Tag::output, 0xFF, session.stream);
  return CaseTimer(session, algorithm, problem, protocol).all(phases);
}

}  // namespace spb::engines
