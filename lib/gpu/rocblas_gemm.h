// SPDX-License-Identifier: Apache-2.0
// Dense products by rocBLAS, which reaches nothing of HIP: the host's tests give it a library of
// their own.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "gpu/gemm.h"
#include "gpu/rocblas.h"

namespace spb::gpu {

/// Whether products of the dtype are rocBLAS's on the chip. tf32 is not: what rocBLAS has of it
/// (xf32, on gfx94x alone) cuts bits off. Bytes are on chips with matrix cores: others took them
/// packed in fours (rocBLAS 2.38).
bool rocblas_takes(Dtype dtype, std::string_view chip);

/// What rocBLAS takes for itself where it is given none: since 4.2 more from gfx940 on.
int64_t rocblas_workspace_bytes(std::string_view chip);

/// How rocBLAS rounds, for verification. `cores_flush`: the chip's matrix cores take subnormals of
/// operands of 16 bits for zeros.
GemmArithmetic rocblas_arithmetic(Dtype dtype, bool cores_flush);

class RocblasGemm {
 public:
  explicit RocblasGemm(std::unique_ptr<const rocblas::Library> library);

  /// Makes the handle of the device in use, if there is none: it takes milliseconds and memory.
  void start() { static_cast<void>(started()); }
  /// gemm() without a size of zero; not for use by several threads. Throws Error (runtime) for
  /// sizes from 2^31 on, which the call does not take.
  void multiply(Dtype dtype, int64_t m, int64_t n, int64_t k, const GemmOperand& a,
                const GemmOperand& b, void* c, int64_t c_row_pitch, bool accumulate,
                const Stream& stream, const GemmWorkspace& workspace);

 private:
  /// A handle for the life of the process, and what it was told last.
  struct Started {
    rocblas::Handle handle = nullptr;
    void* stream = nullptr;
    GemmWorkspace workspace;
  };
  Started& started();
  void use(Started& on, const Stream& stream, const GemmWorkspace& workspace) const;
  void check(rocblas::Status status, const char* what) const;

  std::unique_ptr<const rocblas::Library> library_;
  std::mutex mutex_;                // of the map
  std::map<int, Started> started_;  // by device
};

/// rocblas::open(): null where none of these libraries is there.
std::unique_ptr<RocblasGemm> open_rocblas_gemm(std::span<const std::string> names,
                                               bool told = false);

}  // namespace spb::gpu
