// SPDX-License-Identifier: Apache-2.0
// Debian packages no BLAS for HIP.
#include "gpu/gemm_portable.cuh"

namespace spb::gpu {

void gemm(Dtype dtype, int64_t m, int64_t n, int64_t k, const GemmOperand& a, const GemmOperand& b,
          float* c, int64_t c_row_pitch, bool accumulate, const Stream& stream,
          const GemmWorkspace&) {
  gemm_portable(dtype, m, n, k, a, b, c, c_row_pitch, accumulate, stream);
}

bool gemm_rounds_tf32() { return true; }

int64_t gemm_workspace_bytes() { return 0; }

GemmArithmetic gemm_arithmetic(Dtype) { return {}; }

const char* gemm_name() { return "portable"; }

}  // namespace spb::gpu
