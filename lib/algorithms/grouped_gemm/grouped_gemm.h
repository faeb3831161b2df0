// SPDX-License-Identifier: Apache-2.0
// One launch over the pairs of all kernel offsets.
#pragma once

#include "algorithms/algorithm.h"

namespace spb::plans {

maps::MapNeeds needs_of_grouped_gemm(const Case& of);
std::unique_ptr<Plan> plan_grouped_gemm(const Case& of, const maps::Maps& maps,
                                        maps::BuildContext context);

}  // namespace spb::plans
