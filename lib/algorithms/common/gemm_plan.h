// What the plans that leave arithmetic to gpu::gemm() share.
#pragma once

#include "algorithms/common/plan_base.h"
#include "algorithms/common/reduce.h"
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

  int element_bytes() const { return info(problem_.dtype).bytes; }

  /// Products sum in fp32: in memory of their own, or in outputs that are stored as fp32.
  void allocate_sums(int64_t count, maps::BuildContext context) {
    if (element_bytes() != sizeof(float))
      sums_ = gpu::Buffer<float>(context.allocator, count, gpu::Tag::workspace);
  }
  float* sums_or(void* out) { return sums_.size() ? sums_.data() : static_cast<float*>(out); }
  /// Adds the bias [columns], if any, and rounds `count` sums to the output.
  void finish(const float* sums, int64_t count, int columns, const float* bias, void* out,
              const gpu::Stream& stream) {
    if (bias || sums != out)
      reduce_slices(problem_.dtype, sums, 1, count, columns, bias, out, stream);
  }

  gpu::GemmWorkspace gemm_workspace() { return {gemm_workspace_.data(), gemm_workspace_.bytes()}; }

 private:
  gpu::Buffer<std::byte> gemm_workspace_;
  gpu::Buffer<float> sums_;  // empty when outputs are stored as fp32
};

}  // namespace spb::plans
