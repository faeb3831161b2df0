// SPDX-License-Identifier: Apache-2.0
// rocBLAS where it is installed and takes the dtype, else a kernel of ours: Debian 12 packages no
// BLAS for HIP.
#include <memory>

#include "core/error.h"
#include "gpu/device_info.h"
#include "gpu/gemm_rocblas.cuh"
#include "gpu/mma/matrix_cores_in_use.h"

namespace spb::gpu {
namespace {

/// What multiplies the dtype on the device in use; null: the portable kernel. Loads the library
/// when it is first asked for.
RocblasGemm* rocblas_for(Dtype dtype) {
  static const std::unique_ptr<RocblasGemm> library =
      open_rocblas_gemm(rocblas::library_names(HIP_VERSION_MAJOR), rocblas::library_is_told());
  return library && rocblas_takes(dtype, device_in_use().arch) ? library.get() : nullptr;
}

}  // namespace

void gemm(Dtype dtype, int64_t m, int64_t n, int64_t k, const GemmOperand& a, const GemmOperand& b,
          void* c, int64_t c_row_pitch, bool accumulate, const Stream& stream,
          const GemmWorkspace& workspace) {
  gemm_rocblas_or_portable(rocblas_for(dtype), dtype, m, n, k, a, b, c, c_row_pitch, accumulate,
                           stream, workspace);
}

std::optional<std::string> gemm_grouped_unsupported() {
  return "needs cuBLAS; this build makes one product at a time";
}

int gemm_grouped_alignment(Dtype dtype) { return info(dtype).input().bytes; }

void gemm_grouped(Dtype, std::span<const GemmSize>, const GroupedOperand&, const GroupedOperand&,
                  void* const*, int64_t, const Stream&, const GemmWorkspace&) {
  throw Error(ExitCode::runtime, "products of several sizes: " + *gemm_grouped_unsupported());
}

bool gemm_rounds_tf32() { return true; }

int64_t gemm_workspace_bytes(Dtype dtype) {
  RocblasGemm* const library = rocblas_for(dtype);
  if (!library) return 0;
  library->start();
  return rocblas_workspace_bytes(device_in_use().arch);
}

GemmArithmetic gemm_arithmetic(Dtype dtype) {
  if (!rocblas_for(dtype)) return {};
  return rocblas_arithmetic(dtype, flush_subnormals(MatrixCores::cdna, dtype));
}

const char* gemm_name(Dtype dtype) { return rocblas_for(dtype) ? "rocblas" : "portable"; }

}  // namespace spb::gpu
