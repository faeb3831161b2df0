// SPDX-License-Identifier: Apache-2.0
// Dense matrix products: cuBLAS, rocBLAS, Eigen, or a portable kernel where AMD's is not installed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

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
  return dtype == Dtype::f32 || dtype == Dtype::tf32 || dtype == Dtype::f16 ||
         dtype == Dtype::bf16 || kernel_dtype(dtype) == Dtype::i8 || dtype == Dtype::i8_f32;
}

/// Bytes of the workspace that gemm() takes for operands of the dtype. Starts the library, so that
/// gemm() has nothing left to start: call it while planning.
int64_t gemm_workspace_bytes(Dtype dtype);

/// C[m, n] (row-major, pitch c_row_pitch) = A[m, k] * B[k, n], or += with `accumulate`. Operands
/// have `dtype`; C and sums are fp32, of integer dtypes int32. cuBLAS takes integers with A as it
/// is stored, B transposed, n, k and pitches in fours and addresses in multiples of 4 bytes. tf32
/// operands have fp32 storage and are rounded to nearest before the product where
/// gemm_rounds_tf32(); cuBLAS cuts their bits off, so that there the contract holds for operands
/// that are tf32 values already. Enqueued on `stream`; m, n or k of zero is legal (k = 0 writes
/// zeros unless accumulating).
void gemm(Dtype dtype, int64_t m, int64_t n, int64_t k, const GemmOperand& a, const GemmOperand& b,
          void* c, int64_t c_row_pitch, bool accumulate, const Stream& stream,
          const GemmWorkspace& workspace = {});

/// Rows, columns and depth of one of several products.
struct GemmSize {
  int64_t m, n, k;
};
/// One operand of each of several products: `data` is in device memory, and so is what it lists.
struct GroupedOperand {
  const void* const* data = nullptr;
  int64_t row_pitch = 0;
  bool transposed = false;
};

/// Nothing, or why gemm_grouped() has no library here.
std::optional<std::string> gemm_grouped_unsupported();
/// What the addresses of its matrices must be multiples of, in bytes.
int gemm_grouped_alignment(Dtype dtype);

/// C_i[m, n] = A_i * B_i for all i in one call; no size may be zero. Operands and sums are those of
/// gemm(), but C has the dtype's storage: each sum is rounded to it, once. `c` lists the matrices
/// in device memory; `sizes` is read before this returns. Enqueued on `stream`.
void gemm_grouped(Dtype dtype, std::span<const GemmSize> sizes, const GroupedOperand& a,
                  const GroupedOperand& b, void* const* c, int64_t c_row_pitch,
                  const Stream& stream, const GemmWorkspace& workspace);

/// Whether gemm() rounds tf32 operands to nearest itself. Where it does not, round them beforehand.
bool gemm_rounds_tf32();

/// How gemm() rounds, for verification: products summed by one instruction (0 for scalar
/// multiply-adds), the width of its sums (m of verification.md, section 4), and what it flushes.
struct GemmArithmetic {
  int mma_depth = 0;
  double mma_rounding = 0;
  bool flushes_subnormals = false;  ///< of operands and sums: +ftz
};
GemmArithmetic gemm_arithmetic(Dtype dtype);

/// What multiplies operands of the dtype: "cublas", "rocblas", "eigen", "portable"; written into
/// the record's kernel column.
const char* gemm_name(Dtype dtype);

}  // namespace spb::gpu
