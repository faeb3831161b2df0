// SPDX-License-Identifier: Apache-2.0
// The functions of each algorithm, for the table in registry.cpp.
#pragma once

#include "algorithms/algorithm.h"
#include "algorithms/implicit/implicit_plan.h"

namespace spb::plans {

maps::MapNeeds needs_of_explicit_gemm(const Case& of);
std::unique_ptr<Plan> plan_explicit_gemm(const Case& of, const maps::Maps& maps,
                                         maps::BuildContext context);

maps::MapNeeds needs_of_gather_scatter(const Case& of);
std::unique_ptr<Plan> plan_gather_scatter(const Case& of, const maps::Maps& maps,
                                          maps::BuildContext context);

}  // namespace spb::plans
