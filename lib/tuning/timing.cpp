// SPDX-License-Identifier: Apache-2.0
#include "tuning/timing.h"

#include <span>

#include "run/device_judge.h"

namespace spb::tuning {
namespace {

using engines::TimedPhase;

// Of which a quarter is the hot phase's: seven samples of 2 ms, and what warms up.
constexpr bench::Protocol kScreening{.max_time_s = 0.08, .min_samples = 7, .settle_s = 0};
// The last is timed first.
constexpr TimedPhase kTimed[] = {TimedPhase::kernel_hot, TimedPhase::plan};

}  // namespace

Timed time_candidate(const engines::Implementation& candidate, const Problem& problem,
                     run::CaseData& data, uint64_t seed, bool plans_count,
                     const std::function<bool(const PlanDescription&)>& is_wanted) {
  const auto contender = candidate.prepare(problem, data.voxels(), false);
  Timed timed{contender->description(), {}};
  if (!is_wanted(timed.description)) return timed;
  const auto drawn = data.expectation({.problem = problem,
                                       .fill = verify::Fill::relu,
                                       .drawn_only = true,
                                       .drawn_apart = has_device_judge(run::References::automatic),
                                       .seed = seed});
  contender->write(drawn->operands);
  const engines::PhaseTimes times =
      contender->time(std::span(kTimed).first(plans_count ? 2 : 1), kScreening);
  timed.samples_us = times.phases.front().sampling.counted_us();
  if (plans_count) timed.plan_us = times.phases.back().statistics.median;
  return timed;
}

}  // namespace spb::tuning
