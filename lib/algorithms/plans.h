// The plan function of each algorithm, for the table in registry.cpp.
#pragma once

#include <string>

#include "algorithms/algorithm.h"

namespace spb::plans {

using PlanFunction = std::unique_ptr<Plan>(const Problem& problem, const maps::DeviceCoords& coords,
                                           gpu::Allocator& allocator, const gpu::Stream& stream);

PlanFunction plan_explicit_gemm;
PlanFunction plan_gather_scatter;
PlanFunction plan_implicit_gemm;
PlanFunction plan_implicit_gemm_splitk;
PlanFunction plan_masked_implicit_gemm;
PlanFunction plan_masked_implicit_gemm_splitk;

/// Plans made from now on take the kernel variant of this name, and algorithms that cannot do a
/// problem with it call the problem unsupported; "" lets them choose again. Throws Error (usage)
/// for an unknown name. Not for use by several threads.
void force_variant(const std::string& name);
const std::string& forced_variant();

}  // namespace spb::plans
