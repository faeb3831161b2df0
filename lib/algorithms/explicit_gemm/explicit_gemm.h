// SPDX-License-Identifier: Apache-2.0
// An im2col matrix, then one dense product.
#pragma once

#include "algorithms/algorithm.h"

namespace spb::plans {

maps::MapNeeds needs_of_explicit_gemm(const Case& of);
std::unique_ptr<Plan> plan_explicit_gemm(const Case& of, const maps::Maps& maps,
                                         maps::BuildContext context);

}  // namespace spb::plans
