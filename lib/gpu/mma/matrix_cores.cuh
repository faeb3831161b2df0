// SPDX-License-Identifier: Apache-2.0
// An instruction of matrix cores as a type: clang's builtin in HIP, PTX in CUDA, a twin on the
// host, which has the same fragments in the same lanes.
#pragma once

#include <cstring>

#include "gpu/element.cuh"
#include "gpu/mma/lane_tables.h"
#include "gpu/warp.cuh"

#if defined(SPB_GPU_HIP)
#include "gpu/mma/matrix_builtins_hip.cuh"
#elif defined(SPB_GPU_CUDA)
#include "gpu/mma/matrix_instruction_cuda.cuh"
#elif defined(SPB_GPU_HOST)
#include "gpu/mma/matrix_twin_host.h"
#endif

namespace spb::gpu {

/// Whether this build has code that multiplies by them. The host has twins of all.
#if defined(SPB_GPU_CUDA)
constexpr bool is_built_for(MatrixCores cores) { return cores == MatrixCores::sm75; }
#elif defined(SPB_GPU_HIP)
constexpr bool is_built_for(MatrixCores cores) { return cores != MatrixCores::sm75; }
#else
constexpr bool is_built_for(MatrixCores) { return true; }
#endif

/// 16 bytes, words of which are indexed. No array in HIP: clang 15 keeps some of these in memory.
#if defined(SPB_GPU_HIP)
using MatrixChunk = vendor::Vector<uint32_t, 4>;
#else
struct alignas(16) MatrixChunk {
  uint32_t words[4];
  GPU_HOST_DEVICE uint32_t& operator[](int i) { return words[i]; }
  GPU_HOST_DEVICE uint32_t operator[](int i) const { return words[i]; }
};
#endif

/// Multiplies a wavefront's fragments of E: lane l's element e of A is A(table.line(l), k(l, e)),
/// of B B(k(l, e), line(l)); its sum r is D(row(l, r), line(l)).
template <class E, MatrixCores Cores, int Size>
struct MatrixAtomOf {
  static constexpr MatrixCores kCores = Cores;
  static constexpr int kIndex = find_matrix_atom(Cores, E::dtype, Size);
  static_assert(kIndex >= 0, "no such instruction");
  static constexpr MatrixAtom kAtom = kMatrixAtoms[kIndex];
  static constexpr LaneTable kTable = kAtom.table;
  static constexpr int kElements = kTable.elements(), kSums = kTable.sums();
  using Storage = typename E::Storage;
  using Sum = typename E::Sum;

#if defined(SPB_GPU_HIP)
  /// Code of other chips has no such instruction.
  static constexpr bool kPresent = vendor::kHasMatrixCores<Cores>;
  /// Are indexed.
  using Sums = vendor::Vector<Sum, kSums>;
  using Operand = vendor::Vector<Storage, kElements>;

  /// The elements of the Part-th of the instructions that chunks feed.
  template <int Part, int Chunks>
  static __device__ __forceinline__ Operand operand(const MatrixChunk (&chunks)[Chunks]) {
    constexpr int kWords = sizeof(Operand) / sizeof(uint32_t);
    return vendor::as_elements<Storage>(vendor::words_of<Part * kWords, kWords>(chunks));
  }

  static __device__ __forceinline__ void multiply(Sums& sums, const Operand& a, const Operand& b) {
    vendor::multiply_by_builtin<Cores, E::dtype, Size>(sums, a, b);
  }
#else
  using Sums = Sum[kSums];
  struct Operand {
    Storage elements[kElements];
    GPU_HOST_DEVICE Storage& operator[](int i) { return elements[i]; }
  };

  template <int Part, int Chunks>
  static __device__ __forceinline__ Operand operand(const MatrixChunk (&chunks)[Chunks]) {
    static_assert((Part + 1) * sizeof(Operand) <= sizeof chunks);
    Operand operand;
    memcpy(&operand, reinterpret_cast<const char*>(chunks) + Part * sizeof operand, sizeof operand);
    return operand;
  }
#endif

#if defined(SPB_GPU_CUDA)
  static constexpr bool kPresent = is_built_for(Cores);
  static __device__ __forceinline__ void multiply(Sums& sums, const Operand& a, const Operand& b) {
    if constexpr (kPresent) vendor::multiply_bytes(sums, a, b);
  }
#elif defined(SPB_GPU_HOST)
  static constexpr bool kPresent = warp_size() == kTable.lanes;
  static void multiply(Sums& sums, const Operand& a, const Operand& b,
                       const vendor::Site& site = vendor::Site::current()) {
    if constexpr (kPresent)
      vendor::MatrixTwin<MatrixAtomOf>::multiply(sums, a.elements, b.elements, site);
  }
#endif
};

}  // namespace spb::gpu
