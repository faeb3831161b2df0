// SPDX-License-Identifier: Apache-2.0
// Dense matrix products: cuBLAS, Eigen, or a portable kernel where the vendor packages no BLAS.
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "gpu/stream.h"

namespace spb::gpu {

/// A row-major matrix in device memory, used as it is or transposed.
struct GemmOperand {
  const void* data = nullptr;
  int64_t row_pitch = 0;  ///< elements from one stored row to the next
  bool transposed = false;
};

/// Scratch memory of a product, 256-byte aligned; none is legal, but then a library may allocate.
struct GemmWorkspace {
  void* data = nullptr;
  int64_t bytes = 0;
};

/// Whether gemm() multiplies operands of the dtype. It throws Error (runtime) for others.
constexpr bool gemm_takes(Dtype dtype) {
  return dtype == Dtype::f32 || dtype == Dtype::tf32 || dtype == Dtype::f16 || dtype == Dtype::bf16;
}

/// Bytes of the workspace that gemm() takes. Starts the library, so that gemm() has nothing left to
/// start: call it while planning.
int64_t gemm_workspace_bytes();

/// C[m, n] (fp32, row-major, pitch c_row_pitch) = A[m, k] * B[k, n], or += with `accumulate`.
/// Operands have `dtype`; sums are fp32. tf32 operands have fp32 storage and are rounded to nearest
/// before the product where gemm_rounds_tf32(); cuBLAS cuts their bits off, so that there the
/// contract holds for operands that are tf32 values already. Enqueued on `stream`; m, n
/// or k of zero is legal (k = 0 writes zeros unless accumulating).
void gemm(Dtype dtype, int64_t m, int64_t n, int64_t k, const GemmOperand& a, const GemmOperand& b,
          float* c, int64_t c_row_pitch, bool accumulate, const Stream& stream,
          const GemmWorkspace& workspace = {});

/// Whether gemm() rounds tf32 operands to nearest itself. Where it does not, round them beforehand.
bool gemm_rounds_tf32();

/// How gemm() rounds, for verification: products summed by one instruction (0 for scalar
/// multiply-adds) and the width of its sums (m of verification.md, section 4).
struct GemmArithmetic {
  int mma_depth = 0;
  double mma_rounding = 0;
};
GemmArithmetic gemm_arithmetic(Dtype dtype);

/// What runs: "cublas", "eigen", "portable"; written into the record's kernel column.
const char* gemm_name();

}  // namespace spb::gpu
