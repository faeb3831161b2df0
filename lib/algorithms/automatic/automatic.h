// SPDX-License-Identifier: Apache-2.0
// The algorithm "auto": one of the others, by what was tuned across them or by a rule.
#pragma once

#include <vector>

#include "algorithms/algorithm.h"

namespace spb::plans {

std::optional<std::string> unsupported_automatic(const Problem& problem, const Choice& made);
maps::MapNeeds needs_of_automatic(const Case& of);
std::unique_ptr<Plan> plan_automatic(const Case& of, const maps::Maps& maps,
                                     maps::BuildContext context);
std::vector<Choice> automatic_choices(const SizedProblem& sized, ChoiceRange range);

/// `auto_algorithm`, and what any of the others lets choose.
std::vector<Knob> automatic_knobs(std::span<const Algorithm> others);

}  // namespace spb::plans
