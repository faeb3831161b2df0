// SPDX-License-Identifier: Apache-2.0
// rocBLAS is column-major: C^T = B^T * A^T, where a row-major matrix is its own transpose.
#include "gpu/rocblas_gemm.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/error.h"
#include "gpu/device_info.h"

namespace spb::gpu {
namespace {

struct RocblasTypes {
  rocblas::DataType operand, sum;
};

RocblasTypes rocblas_types(Dtype dtype) {
  switch (dtype) {
    case Dtype::f32:
      return {rocblas::kF32, rocblas::kF32};
    case Dtype::f16:
      return {rocblas::kF16, rocblas::kF32};
    case Dtype::bf16:
      return {rocblas::kBf16, rocblas::kF32};
    case Dtype::i8:
    case Dtype::i8_f32:
    case Dtype::i8_i32:
      return {rocblas::kI8, rocblas::kI32};
    case Dtype::tf32:
    case Dtype::tf32x3:
    case Dtype::e4m3:
    case Dtype::e4m3_f16:
    case Dtype::e4m3_bf16:
      break;
  }
  no_instance("rocBLAS", dtype);
}

/// A factor as rocBLAS reads it: of the type of the sums.
struct RocblasFactor {
  float real;
  int32_t integer;
  const void* of(const RocblasTypes& types) const {
    return types.sum == rocblas::kI32 ? static_cast<const void*>(&integer) : &real;
  }
};
constexpr RocblasFactor kNothing = {0, 0}, kOnce = {1, 1};

rocblas::Operation rocblas_operation(bool transposed) {
  return transposed ? rocblas::kTransposed : rocblas::kPlain;
}

/// A size or pitch of gemm() as rocBLAS counts.
int32_t rocblas_int(int64_t count) {
  if (count > std::numeric_limits<int32_t>::max())
    throw Error(ExitCode::runtime, "rocBLAS product: a size or row pitch of " +
                                       std::to_string(count) + " is more than 2^31 - 1");
  return static_cast<int32_t>(count);
}

}  // namespace

bool rocblas_takes(Dtype dtype, std::string_view chip) {
  if (!info(dtype).is_integer())
    return dtype == Dtype::f32 || dtype == Dtype::f16 || dtype == Dtype::bf16;
  constexpr std::string_view kWithCores[] = {"gfx908", "gfx90a", "gfx94",
                                             "gfx95",  "gfx11",  "gfx12"};
  return gemm_takes(dtype) &&
         std::ranges::any_of(kWithCores, [&](auto name) { return chip.starts_with(name); });
}

int64_t rocblas_workspace_bytes(std::string_view chip) {
  const bool large = chip.starts_with("gfx94") || chip.starts_with("gfx95");
  return int64_t{large ? 128 : 32} << 20;
}

GemmArithmetic rocblas_arithmetic(Dtype dtype, bool cores_flush) {
  // fp32 is one fma after the other on matrix cores, too, and sums of integers are exact.
  constexpr int kDepth = 16;
  constexpr double kMmaRounding = 4;
  if (dtype != Dtype::f16 && dtype != Dtype::bf16) return {};
  return {kDepth, kMmaRounding, cores_flush};
}

RocblasGemm::RocblasGemm(std::unique_ptr<const rocblas::Library> library)
    : library_(std::move(library)) {}

void RocblasGemm::check(rocblas::Status status, const char* what) const {
  if (status == 0) return;
  throw Error(ExitCode::runtime, "rocBLAS " + library_->version + ": " + what + ": " +
                                     library_->functions.status_string(status));
}

RocblasGemm::Started& RocblasGemm::started() {
  const std::lock_guard lock(mutex_);
  Started& on = started_[device_index()];
  if (!on.handle) {
    rocblas::Handle handle = nullptr;
    check(library_->functions.create(&handle), "start");
    check(library_->functions.set_atomics(handle, rocblas::kNoAtomics), "set the mode of atomics");
    on.handle = handle;
  }
  return on;
}

/// Tells what is new alone: before ROCm 6.2 a change of stream asks the stream for its state, which
/// no capture allows (rocBLAS 1432). Workspaces do change within captures, with the sets of cold
/// runs: from one of ours to another nothing is freed, and the first change, away from rocBLAS's
/// own, is made by a run before any capture.
void RocblasGemm::use(Started& on, const Stream& stream, const GemmWorkspace& workspace) const {
  if (on.stream != stream.handle()) {
    check(library_->functions.set_stream(on.handle, stream.handle()), "set the stream");
    on.stream = stream.handle();
  }
  if (on.workspace.data != workspace.data || on.workspace.bytes != workspace.bytes) {
    check(library_->functions.set_workspace(on.handle, workspace.data,
                                            static_cast<size_t>(workspace.bytes)),
          "set the workspace");
    on.workspace = workspace;
  }
}

void RocblasGemm::multiply(Dtype dtype, int64_t m, int64_t n, int64_t k, const GemmOperand& a,
                           const GemmOperand& b, void* c, int64_t c_row_pitch, bool accumulate,
                           const Stream& stream, const GemmWorkspace& workspace) {
  const RocblasTypes types = rocblas_types(dtype);
  const int32_t rows = rocblas_int(m), columns = rocblas_int(n), depth = rocblas_int(k);
  const int32_t a_pitch = rocblas_int(a.row_pitch), b_pitch = rocblas_int(b.row_pitch);
  const int32_t c_pitch = rocblas_int(c_row_pitch);
  Started& on = started();
  use(on, stream, workspace);
  check(library_->functions.gemm_ex(
            on.handle, rocblas_operation(b.transposed), rocblas_operation(a.transposed), columns,
            rows, depth, kOnce.of(types), b.data, types.operand, b_pitch, a.data, types.operand,
            a_pitch, (accumulate ? kOnce : kNothing).of(types), c, types.sum, c_pitch, c, types.sum,
            c_pitch, types.sum, rocblas::kStandardAlgorithm, 0, 0),
        "product");
}

std::unique_ptr<RocblasGemm> open_rocblas_gemm(std::span<const std::string> names, bool told) {
  auto library = rocblas::open(names, told);
  return library ? std::make_unique<RocblasGemm>(std::move(library)) : nullptr;
}

}  // namespace spb::gpu
