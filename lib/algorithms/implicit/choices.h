// SPDX-License-Identifier: Apache-2.0
// What a tuner may try of the implicit algorithms.
#pragma once

#include <vector>

#include "algorithms/implicit/implicit_plan.h"

namespace spb::plans {

/// Algorithm::choices. Likely ones: the four variants expected to be fastest, the best two with
/// other splits or segments, the best one with another order. All: every variant with every split
/// or segmentation and, these left to the plan, every order.
std::vector<Choice> implicit_choices(const ImplicitOptions& options, const SizedProblem& sized,
                                     ChoiceRange range);

}  // namespace spb::plans
