// SPDX-License-Identifier: Apache-2.0
// What the plans that leave arithmetic to gpu::gemm() share.
#pragma once

#include "algorithms/common/plan_base.h"
#include "algorithms/common/tf32_products.h"
#include "gpu/gemm.h"
#include "kernels/common/reduce.h"
#include "kernels/common/row_copies.h"

namespace spb::plans {

class GemmPlan : public PlanBase {
 protected:
  GemmPlan(const Case& of, const maps::Maps& maps, maps::BuildContext context)
      : PlanBase(of, maps, context),
        gemm_workspace_(context.allocator, gpu::gemm_workspace_bytes(problem_.dtype),
                        gpu::Tag::workspace) {
    description_.kernel = gpu::gemm_name(problem_.dtype);
    const gpu::GemmArithmetic arithmetic = gpu::gemm_arithmetic(problem_.dtype);
    description_.arithmetic.mma_depth = arithmetic.mma_depth;
    description_.arithmetic.mma_rounding = arithmetic.mma_rounding;
    description_.arithmetic.flushes_subnormals = arithmetic.flushes_subnormals;
    if (problem_.dtype == Dtype::tf32) {
      copy_.round_tf32 = tf32_products.of_rounded_copies;
      product_dtype_ = tf32_products.dtype;
    }
  }

  int element_bytes() const { return copy_.element_bytes; }
  /// How operands of products are copied.
  const Copy& copy() const { return copy_; }
  /// Products see no operand but copies, made by copy().
  bool multiplies_copies() const { return copy_.round_tf32; }

  void multiply(int64_t m, int64_t n, int64_t k, const gpu::GemmOperand& a,
                const gpu::GemmOperand& b, float* c, int64_t c_row_pitch, bool accumulate,
                const gpu::Stream& stream) {
    gpu::gemm(product_dtype_, m, n, k, a, b, c, c_row_pitch, accumulate, stream,
              {gemm_workspace_.data(), gemm_workspace_.bytes()});
  }

  /// gpu::gemm_grouped() on the plan's workspace.
  void multiply_grouped(std::span<const gpu::GemmSize> sizes, const gpu::GroupedOperand& a,
                        const gpu::GroupedOperand& b, void* const* c, int64_t c_row_pitch,
                        const gpu::Stream& stream) {
    gpu::gemm_grouped(product_dtype_, sizes, a, b, c, c_row_pitch, stream,
                      {gemm_workspace_.data(), gemm_workspace_.bytes()});
  }

  /// Space for the weights' copy where products see only copies.
  void allocate_weights(maps::BuildContext context) {
    if (multiplies_copies())
      weights_ = gpu::Buffer<float>(context.allocator, weight_count(problem_), gpu::Tag::workspace);
  }
  /// The weights as products may see them; the copy is made here.
  const void* weights_for_products(const void* weights, const gpu::Stream& stream) {
    if (weights_.size() == 0) return weights;
    round_tf32(weights, weights_.size(), weights_.data(), stream);
    return weights_.data();
  }

  /// Products sum in fp32, or in int32 in the same place: in memory of their own, or in outputs
  /// that are stored as fp32, or are the sums.
  void allocate_sums(int64_t count, maps::BuildContext context) {
    if (element_bytes() != sizeof(float) && !info(problem_.dtype).stores_sums())
      sums_ = gpu::Buffer<float>(context.allocator, count, gpu::Tag::workspace);
  }
  float* sums_or(void* out) { return sums_.size() ? sums_.data() : static_cast<float*>(out); }
  /// Rounds `count` sums to the output, after its epilogue, if there is any.
  void finish(const float* sums, int64_t count, int columns, const OutputEpilogue& epilogue,
              void* out, const gpu::Stream& stream) {
    if (epilogue.has_any() || sums != out)
      reduce_partials(problem_.dtype, sums, 1, count, columns, epilogue, out, stream);
  }

 private:
  Copy copy_{info(problem_.dtype).input().bytes};
  Dtype product_dtype_ = problem_.dtype;
  gpu::Buffer<std::byte> gemm_workspace_;
  gpu::Buffer<float> sums_;     // empty when outputs hold them
  gpu::Buffer<float> weights_;  // the copy
};

}  // namespace spb::plans
