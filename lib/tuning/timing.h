// SPDX-License-Identifier: Apache-2.0
// Times of candidates.
#pragma once

#include <functional>
#include <vector>

#include "algorithms/algorithm.h"
#include "core/problem.h"
#include "run/case_data.h"

namespace spb::tuning {

/// What a candidate's plan took, and samples of its run() among equal runs (hot).
struct Timed {
  PlanDescription description;
  std::vector<double> samples_us;
};

/// Median microseconds of a plan among equal plans: on a device what it spends on one, without the
/// host's part (bench::ChainTimer), else all. Throws as Algorithm::plan() does.
double time_plan(const Algorithm& algorithm, const Problem& problem, run::CaseData& data);

/// Plans and, if the plan is wanted, takes `samples` after three that do not count. Throws as
/// Algorithm::plan() does.
Timed time_runs(
    const Algorithm& algorithm, const Problem& problem, run::CaseData& data, uint64_t seed,
    int samples,
    const std::function<bool(const PlanDescription&)>& is_wanted = [](auto&) { return true; });

}  // namespace spb::tuning
