// SPDX-License-Identifier: Apache-2.0
// Per kernel offset one launch that gathers, multiplies and adds to the output rows.
#pragma once

#include "algorithms/algorithm.h"

namespace spb::plans {

maps::MapNeeds needs_of_fused_gather_scatter(const Case& of);
std::unique_ptr<Plan> plan_fused_gather_scatter(const Case& of, const maps::Maps& maps,
                                                maps::BuildContext context);

}  // namespace spb::plans
