// SPDX-License-Identifier: Apache-2.0
// Debian packages no BLAS for HIP.
#include "core/error.h"
#include "gpu/gemm_portable.cuh"

namespace spb::gpu {

void gemm(Dtype dtype, int64_t m, int64_t n, int64_t k, const GemmOperand& a, const GemmOperand& b,
          void* c, int64_t c_row_pitch, bool accumulate, const Stream& stream,
          const GemmWorkspace&) {
  gemm_portable(dtype, m, n, k, a, b, c, c_row_pitch, accumulate, stream);
}

std::optional<std::string> gemm_grouped_unsupported() {
  return "needs cuBLAS; this build multiplies by a kernel of its own, one product at a time";
}

int gemm_grouped_alignment(Dtype dtype) { return info(dtype).input().bytes; }

void gemm_grouped(Dtype, std::span<const GemmSize>, const GroupedOperand&, const GroupedOperand&,
                  void* const*, int64_t, const Stream&, const GemmWorkspace&) {
  throw Error(ExitCode::runtime, "products of several sizes: " + *gemm_grouped_unsupported());
}

bool gemm_rounds_tf32() { return true; }

int64_t gemm_workspace_bytes(Dtype) { return 0; }

GemmArithmetic gemm_arithmetic(Dtype) { return {}; }

const char* gemm_name(Dtype) { return "portable"; }

}  // namespace spb::gpu
