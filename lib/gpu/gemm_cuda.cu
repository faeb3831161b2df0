// SPDX-License-Identifier: Apache-2.0
// cuBLAS. It is column-major: C^T = B^T * A^T, where a row-major matrix is its own transpose.
#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/error.h"
#include "gpu/check.h"
#include "gpu/cublas_cuda.h"
#include "gpu/device_info.h"
#include "gpu/gemm.h"
#include "gpu/stream_handle.h"

namespace spb::gpu {
namespace {

void check_blas(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(ExitCode::runtime, std::string(what) + ": " + cublas().status_string(status));
}

// One handle per device for the life of the process: making one costs milliseconds and memory.
cublasHandle_t handle_of_device() {
  static std::mutex mutex;
  static std::map<int, cublasHandle_t> handles;
  const std::lock_guard lock(mutex);
  cublasHandle_t& handle = handles[device_index()];
  if (!handle) {
    check_blas(cublas().create(&handle), "start cuBLAS");
    check_blas(cublas().set_math_mode(handle, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION),
               "set cuBLAS's math mode");
  }
  return handle;
}

struct Types {
  cudaDataType_t operand, sum;
  cublasComputeType_t compute;
};

Types types_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::f32:
      return {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC};  // never through TF32
    case Dtype::tf32:
      return {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32};
    case Dtype::f16:
      return {CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F};
    case Dtype::bf16:
      return {CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F};
    case Dtype::i8:
    case Dtype::i8_f32:
    case Dtype::i8_i32:
      return {CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I};
    case Dtype::tf32x3:
    case Dtype::e4m3:
    case Dtype::e4m3_f16:
    case Dtype::e4m3_bf16:
      break;
  }
  no_instance("cuBLAS", dtype);
}

/// A factor as cuBLAS reads it: of the type of the sums.
struct Factor {
  float real;
  int32_t integer;
  const void* of(const Types& types) const {
    return types.sum == CUDA_R_32I ? static_cast<const void*>(&integer) : &real;
  }
};
constexpr Factor kZero = {0, 0}, kOne = {1, 1};

cublasOperation_t operation(bool transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }

/// Depth that runs along the stored rows of both operands is summed in pieces, each a multiple of
/// kDepthStep but for a last one below it. cuBLAS 13.0 on an H200 leaves rows out of some long f16
/// and bf16 products: of 10,737,418 the ten beyond a multiple of 64 (16 x 16 sums; PyTorch's calls
/// too), and as verify noticed some of 20,518 to 1,026,536 (32 x 32 to 128 x 128).
constexpr int64_t kMostDepth = int64_t{1} << 17, kDepthStep = 64;

int64_t depth_of_piece(int64_t left, bool along_rows) {
  if (!along_rows || left < kDepthStep) return left;
  return std::min(kMostDepth, left - left % kDepthStep);
}

/// Where the operand's element of depth `first` stands; `down`: depth counts its stored rows.
const void* from_depth(const GemmOperand& operand, int64_t first, bool down, Dtype dtype) {
  const int64_t elements = down ? first * operand.row_pitch : first;
  return static_cast<const std::byte*>(operand.data) + elements * info(dtype).input().bytes;
}

/// Ready to take products on the stream.
cublasHandle_t handle_on(const Stream& stream, const GemmWorkspace& workspace) {
  const cublasHandle_t handle = handle_of_device();
  check_blas(cublas().set_stream(handle, handle_of(stream)), "set cuBLAS's stream");
  // After every change of stream, which takes the workspace away.
  if (workspace.data)
    check_blas(cublas().set_workspace(handle, workspace.data, static_cast<size_t>(workspace.bytes)),
               "set cuBLAS's workspace");
  return handle;
}

}  // namespace

void gemm(Dtype dtype, int64_t m, int64_t n, int64_t k, const GemmOperand& a, const GemmOperand& b,
          void* c, int64_t c_row_pitch, bool accumulate, const Stream& stream,
          const GemmWorkspace& workspace) {
  if (m == 0 || n == 0) return;
  if (k == 0) {
    if (!accumulate)
      check(gpuMemset2DAsync(c, static_cast<size_t>(c_row_pitch) * sizeof(float), 0,
                             static_cast<size_t>(n) * sizeof(float), static_cast<size_t>(m),
                             handle_of(stream)),
            "fill with zeros");
    return;
  }
  const Types types = types_of(dtype);
  const cublasHandle_t handle = handle_on(stream, workspace);
  int64_t depth;
  for (int64_t first = 0; first < k; first += depth) {
    depth = depth_of_piece(k - first, a.transposed && !b.transposed);
    check_blas(
        cublas().gemm_ex(handle, operation(b.transposed), operation(a.transposed), n, m, depth,
                         kOne.of(types), from_depth(b, first, !b.transposed, dtype), types.operand,
                         b.row_pitch, from_depth(a, first, a.transposed, dtype), types.operand,
                         a.row_pitch, (accumulate || first > 0 ? kOne : kZero).of(types), c,
                         types.sum, c_row_pitch, types.compute, CUBLAS_GEMM_DEFAULT),
        "cuBLAS product");
  }
}

std::optional<std::string> gemm_grouped_unsupported() {
  if (cublas().gemm_grouped) return {};
  return "needs cublasGemmGroupedBatchedEx of cuBLAS 12.5 and newer; " + cublas().version +
         " is here";
}

// Of addresses in device memory cuBLAS sees nothing: wide loads read what it is given.
int gemm_grouped_alignment(Dtype dtype) {
  constexpr int kWideLoad = 16;
  return info(dtype).mma_depth > 0 ? kWideLoad : info(dtype).input().bytes;
}

void gemm_grouped(Dtype dtype, std::span<const GemmSize> sizes, const GroupedOperand& a,
                  const GroupedOperand& b, void* const* c, int64_t c_row_pitch,
                  const Stream& stream, const GemmWorkspace& workspace) {
  if (sizes.empty()) return;
  const size_t count = sizes.size();
  std::vector<int> m, n, k;
  for (const GemmSize& size : sizes) {
    m.push_back(static_cast<int>(size.m));
    n.push_back(static_cast<int>(size.n));
    k.push_back(static_cast<int>(size.k));
  }
  const auto each = [&](auto value) { return std::vector(count, value); };
  const auto pitches = [&](int64_t pitch) { return each(static_cast<int>(pitch)); };
  const Types types = types_of(dtype);
  check_blas(
      cublas().gemm_grouped(handle_on(stream, workspace), each(operation(b.transposed)).data(),
                            each(operation(a.transposed)).data(), n.data(), m.data(), k.data(),
                            each(1.0f).data(), b.data, types.operand, pitches(b.row_pitch).data(),
                            a.data, types.operand, pitches(a.row_pitch).data(), each(0.0f).data(),
                            c, types.operand, pitches(c_row_pitch).data(), static_cast<int>(count),
                            each(1).data(), types.compute),
      "cuBLAS products of several sizes");
}

bool gemm_rounds_tf32() { return false; }

int64_t gemm_workspace_bytes(Dtype) {
  handle_of_device();
  return int64_t{32} << 20;  // what NVIDIA recommends for Hopper
}

GemmArithmetic gemm_arithmetic(Dtype dtype) {
  const int mma_depth = info(dtype).is_integer() ? 0 : info(dtype).mma_depth;  // exact
  return {mma_depth, mma_depth > 0 ? 4.0 : 0.0};
}

const char* gemm_name(Dtype) { return "cublas"; }

}  // namespace spb::gpu
