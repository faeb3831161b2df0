#include "run/time_case.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <string_view>
#include <utility>

#include "bench/cold_timer.h"
#include "bench/host_wall.h"
#include "bench/hot_timer.h"
#include "gpu/device_info.h"

namespace spb::run {
namespace {

struct Phase {
  const char* name;
  const char* cache;
  double time_share;  ///< of the case's time limit
};
constexpr Phase kMapBuild{"map_build", "", 0.1}, kPlan{"plan", "", 0.15},
    kEndToEnd{"end_to_end", "", 0.15}, kHot{"kernel", "hot", 0.25}, kCold{"kernel", "cold", 0.35};
// On host the kernel phase is timed once.
constexpr Phase kHostKernel{"kernel", "hot", 0.6};

bool on_host() { return std::string_view(gpu::backend_name()) == "host"; }

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

  std::vector<PhaseTime> all() {
    // Kernel last: the outputs that are checked afterwards are those of the row that is ranked.
    std::vector<PhaseTime> times{map_build(), plan(), end_to_end()};
    if (on_host()) {
      times.push_back(wall(kHostKernel, [&] { run(); }));
    } else {
      times.push_back(hot());
      times.push_back(cold());
    }
    std::ranges::reverse(times);
    return times;
  }

 private:
  void run() { session_.plan->run(operands_, session_.stream); }

  // What a phase made is destroyed after the clock has stopped: a caller keeps it.
  PhaseTime map_build() {
    std::unique_ptr<MapHold> maps;
    return wall(
        kMapBuild,
        [&] {
          maps =
              algorithm_.build_maps(problem_, session_.coords, session_.allocator, session_.stream);
        },
        [&] { maps.reset(); });
  }
  PhaseTime plan() {
    std::unique_ptr<Plan> fresh;
    return wall(
        kPlan, [&] { fresh = new_plan(); }, [&] { fresh.reset(); });
  }
  PhaseTime end_to_end() {
    std::unique_ptr<Plan> fresh;
    return wall(
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
    bench::HotTimer timer(session_.stream, [&] { run(); });
    PhaseTime time = sampled(kHot, timer.method(), [&] { return timer.sample_us(); });
    if (std::string_view(timer.method()) == "batch")
      time.warning = "run() cannot be captured in a graph: the hot time holds launch gaps";
    return time;
  }

  PhaseTime cold() {
    bench::ColdTimer timer(session_.stream, session_.allocator, gpu::last_cache_bytes());
    try {
      PhaseTime time = sampled(kCold, "event", [&] {
        const auto time_us = timer.sample_us([&] { run(); });
        if (!time_us) throw WaitsForDevice();
        return *time_us;
      });
      time.cache_method = bench::kCacheMethod;
      return time;
    } catch (const WaitsForDevice&) {
      PhaseTime time = wall(
          kCold, [&] { run(); }, [&] { timer.flush(); });
      time.cache_method = bench::kCacheMethod;
      time.warning = "run() waits for the device: cold times are of the wall clock";
      return time;
    }
  }

  /// Microseconds until the stream has drained; `after` is not timed.
  PhaseTime wall(
      const Phase& phase, const std::function<void()>& work,
      const std::function<void()>& after = [] {}) {
    return sampled(phase, on_host() ? "host_wall" : "sync_wall", [&] {
      const double time_us = bench::host_wall_us([&] {
        work();
        session_.stream.synchronize();
      });
      after();
      return time_us;
    });
  }

  PhaseTime sampled(const Phase& phase, const char* method,
                    const std::function<double()>& sample_us) {
    PhaseTime time{
        phase.name, phase.cache, method, "", bench::take_samples(sample_us, limits(phase)), {}};
    time.statistics = bench::summarize(time.sampling.samples_us);
    return time;
  }

  bench::SamplingLimits limits(const Phase& phase) const {
    const double seconds = phase.time_share * options_.max_time_s;
    bench::SamplingLimits limits;
    limits.warmup_runs = 2;
    limits.warmup_ms = std::min(limits.warmup_ms, seconds * 100);
    limits.warmup_max_ms = std::min(limits.warmup_max_ms, seconds * 250);
    limits.min_samples = options_.min_samples;
    limits.min_long_samples = (options_.min_samples + 1) / 2;
    limits.max_time_s = seconds;
    return limits;
  }

  Session& session_;
  const Algorithm& algorithm_;
  const Problem& problem_;
  const RunOptions& options_;
  Operands operands_;
};

}  // namespace

std::vector<PhaseTime> time_case(Session& session, const Algorithm& algorithm,
                                 const Problem& problem, const RunOptions& options) {
  session.allocator.poison(gpu::Tag::output, 0xFF, session.stream);
  return CaseTimer(session, algorithm, problem, options).all();
}

}  // namespace spb::run
