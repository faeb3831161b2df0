// What the plans that leave arithmetic to gpu::gemm() share.
#pragma once

#include "algorithms/common/plan_base.h"
#include "gpu/gemm.h"

namespace spb::plans {

class GemmPlan : public PlanBase {
 protected:
  GemmPlan(const Problem& problem, const maps::DeviceCoords& coords, maps::BuildContext context)
      : PlanBase(problem, coords, context),
        gemm_workspace_(context.allocator, gpu::gemm_workspace_bytes(), gpu::Tag::workspace) {
    description_.kernel = gpu::gemm_name();
    const gpu::GemmArithmetic arithmetic = gpu::gemm_arithmetic(problem.dtype);
    description_.arithmetic.mma_depth = arithmetic.mma_depth;
    description_.arithmetic.mma_rounding = arithmetic.mma_rounding;
  }

  gpu::GemmWorkspace gemm_workspace() { return {gemm_workspace_.data(), gemm_workspace_.bytes()}; }

 private:
  gpu::Buffer<std::byte> gemm_workspace_;
};

}  // namespace spb::plans
