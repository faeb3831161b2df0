// SPDX-License-Identifier: Apache-2.0
// Times of candidates.
#pragma once
#include <functional>
#include <vector>

#include "core/plan_description.h"
#include "core/problem.h"
#include "engines/contender.h"
#include "run/case_data.h"

namespace spb::tuning {

/// What a candidate's plan took, and how long it and its runs (hot) took.
struct Timed {
  PlanDescription description;
  std::vector<double> samples_us;
  double plan_us = 0;  ///< on a device what it spends on a plan; 0 when plans do not count
};

/// Prepares a candidate and, if its plan is wanted, times it as `run` does, with fewer samples.
/// Throws as Implementation::prepare() does.
Timed time_candidate(
    const engines::Implementation& candidate, const Problem& problem, run::CaseData& data,
    uint64_t seed, bool plans_count,
    const std::function<bool(const PlanDescription&)>& is_wanted = [](auto&) { return true; });

}  // namespace spb::tuning
