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

/// C[m, n] (fp32, row-major, pitch c_row_pitch) = A[m, k] * B[k, n], or += with `accumulate`.
/// Operands have `dtype` (tf32: fp32 storage, rounded to nearest before the product); sums are
/// fp32. Enqueued on `stream`; m, n or k of zero is legal (k = 0 writes zeros unless accumulating).
void gemm(Dtype dtype, int64_t m, int64_t n, int64_t k, const GemmOperand& a, const GemmOperand& b,
          float* c, int64_t c_row_pitch, bool accumulate, const Stream& stream);

/// What runs: "cublas", "eigen", "portable"; written into the record's kernel column.
const char* gemm_name();

}  // namespace spb::gpu
