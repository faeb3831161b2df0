// SPDX-License-Identifier: Apache-2.0
// rocBLAS without its header or its library at build time: Debian 12 packages neither. Facts:
// rocblas-types.h, rocblas-auxiliary.h and rocblas-functions.h of ROCm/rocBLAS 2.47 (ROCm 5.5), 4.4
// (6.4) and 5.2 (7.2), against which `.ci/rocblas-abi` compiles what stands here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace spb::gpu::rocblas {

using Status = int;  // 0 is success
using Handle = void*;

enum Operation : int { kPlain = 111, kTransposed = 112 };
enum DataType : int { kF16 = 150, kF32 = 151, kI8 = 160, kI32 = 162, kBf16 = 168 };
/// Sums of slices are then added in a fixed order, so that products repeat. It is the default from
/// ROCm 7.0 on.
inline constexpr int kNoAtomics = 0;
/// The library chooses among its kernels; their index and the flags are then 0.
inline constexpr int kStandardAlgorithm = 0;

/// D = alpha * A * B + beta * C, column-major. C and D may be one matrix.
using GemmEx = Status (*)(Handle handle, int a_operation, int b_operation, int32_t m, int32_t n,
                          int32_t k, const void* alpha, const void* a, int a_type, int32_t a_pitch,
                          const void* b, int b_type, int32_t b_pitch, const void* beta,
                          const void* c, int c_type, int32_t c_pitch, void* d, int d_type,
                          int32_t d_pitch, int compute_type, int algorithm, int32_t kernel,
                          uint32_t flags);

struct Functions {
  Status (*create)(Handle*) = nullptr;
  Status (*set_atomics)(Handle, int mode) = nullptr;
  Status (*set_stream)(Handle, void* stream) = nullptr;
  Status (*set_workspace)(Handle, void* data, size_t bytes) = nullptr;
  GemmEx gemm_ex = nullptr;
  const char* (*status_string)(Status) = nullptr;
  Status (*version)(char* text, size_t bytes) = nullptr;
};

struct Library {
  Functions functions;
  std::string version;  ///< "5.2.0", or with more behind it
};

/// What may be loaded beside HIP of this major version, in the order to try: the library is linked
/// with HIP's, and two versions of that do not know each other's streams. As the system finds it,
/// else in ROCM_PATH or /opt/rocm; of a HIP that is newer than 7 no name is known.
/// SPCONV_BENCH_ROCBLAS names another, or with "none" none.
std::vector<std::string> library_names(int hip_major);

/// Whether SPCONV_BENCH_ROCBLAS says what to load.
bool library_is_told();

/// Loads the first that is found for the rest of the process; null: none. Throws Error (runtime)
/// where it lacks a function or cannot be loaded, and of a library that was `told` also where it is
/// not there: another one would multiply in its place.
std::unique_ptr<const Library> open(std::span<const std::string> names, bool told = false);

}  // namespace spb::gpu::rocblas
