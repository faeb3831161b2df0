// SPDX-License-Identifier: Apache-2.0
// Each channel on its own: rows are gathered, scaled and added, without a product of matrices.
#pragma once

#include "algorithms/algorithm.h"

namespace spb::plans {

maps::MapNeeds needs_of_depthwise(const Case& of);
std::unique_ptr<Plan> plan_depthwise(const Case& of, const maps::Maps& maps,
                                     maps::BuildContext context);

}  // namespace spb::plans
