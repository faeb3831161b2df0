// The plan function of each algorithm, for the table in registry.cpp.
#pragma once

#include "algorithms/algorithm.h"

namespace spb::plans {

using PlanFunction = std::unique_ptr<Plan>(const Problem& problem, const maps::DeviceCoords& coords,
                                           gpu::Allocator& allocator, const gpu::Stream& stream,
                                           const PlanChoice& choice);

PlanFunction plan_explicit_gemm;
PlanFunction plan_gather_scatter;
PlanFunction plan_implicit_gemm;
PlanFunction plan_implicit_gemm_splitk;
PlanFunction plan_masked_implicit_gemm;
PlanFunction plan_masked_implicit_gemm_splitk;

}  // namespace spb::plans
