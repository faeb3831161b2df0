#include "run/time_case.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "bench/host_wall.h"
#include "gpu/device_info.h"

namespace spb::run {
namespace {

struct Phase {
  const char* name;
  const char* cache;
  double time_share;  ///< of the case's time limit
  bool plans, runs;
};
// Kernel last: the outputs that are checked afterwards are those of the row that is ranked.
constexpr Phase kPhases[] = {{"plan", "", 0.25, true, false},
                             {"end_to_end", "", 0.25, true, true},
                             {"kernel", "hot", 0.5, false, true}};

bench::SamplingLimits limits(const Phase& phase, const RunOptions& options) {
  const double seconds = phase.time_share * options.max_time_s;
  bench::SamplingLimits limits;
  limits.warmup_runs = 2;
  limits.warmup_ms = std::min(limits.warmup_ms, seconds * 100);
  limits.warmup_max_ms = std::min(limits.warmup_max_ms, seconds * 250);
  limits.min_samples = options.min_samples;
  limits.min_long_samples = (options.min_samples + 1) / 2;
  limits.max_time_s = seconds;
  return limits;
}

}  // namespace

std::vector<PhaseTime> time_case(Session& session, const Algorithm& algorithm,
                                 const Problem& problem, const RunOptions& options) {
  session.allocator.poison(gpu::Tag::output, 0xFF, session.stream);
  const Operands operands = session.operands.pointers();
  std::vector<PhaseTime> times;
  for (const Phase& phase : kPhases) {
    const auto sample_us = [&] {
      std::unique_ptr<Plan> fresh;
      // The plan is destroyed after the clock has stopped: a caller keeps it.
      return bench::host_wall_us([&] {
        if (phase.plans)
          fresh = algorithm.plan(problem, session.coords, session.allocator, session.stream);
        if (phase.runs) (fresh ? *fresh : *session.plan).run(operands, session.stream);
        session.stream.synchronize();
      });
    };
    PhaseTime time{
        phase.name, phase.cache, bench::take_samples(sample_us, limits(phase, options)), {}};
    time.statistics = bench::summarize(time.sampling.samples_us);
    times.insert(times.begin(), std::move(time));
  }
  return times;
}

const char* timing_method() {
  return std::string_view(gpu::backend_name()) == "host" ? "host_wall" : "sync_wall";
}

}  // namespace spb::run
