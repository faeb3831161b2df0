// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/gemm_portable.cuh"
#include "gpu/rocblas_gemm.h"

namespace spb::gpu {

/// gemm() by the library, or where it is null by the portable kernel, which also sees to products
/// without an element or without depth.
inline void gemm_rocblas_or_portable(RocblasGemm* library, Dtype dtype, int64_t m, int64_t n,
                                     int64_t k, const GemmOperand& a, const GemmOperand& b, void* c,
                                     int64_t c_row_pitch, bool accumulate, const Stream& stream,
                                     const GemmWorkspace& workspace) {
  if (library && m > 0 && n > 0 && k > 0)
    library->multiply(dtype, m, n, k, a, b, c, c_row_pitch, accumulate, stream, workspace);
  else
    gemm_portable(dtype, m, n, k, a, b, c, c_row_pitch, accumulate, stream);
}

}  // namespace spb::gpu
