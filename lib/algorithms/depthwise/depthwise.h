// SPDX-License-Identifier: Apache-2.0
// Each channel on its own: rows are gathered, scaled and added, without a product of matrices.
#pragma once

#include "algorithms/algorithm.h"

namespace spb::plans {

maps::MapNeeds needs_of_depthwise(const Case& of);
std::unique_ptr<Plan> plan_depthwise(const Case& of, const maps::Maps& maps,
                                     maps::BuildContext context);

/// `gather`: row by row, or a tile's halo at once.
std::span<const Knob> depthwise_knobs();
std::vector<Choice> depthwise_choices(const SizedProblem& sized, ChoiceRange range);
std::optional<std::string> unsupported_depthwise(const Problem& problem, const Choice& choice);

}  // namespace spb::plans
