// SPDX-License-Identifier: Apache-2.0
// An instruction of AMD's matrix cores as a type: clang's builtin in HIP, a twin on the host, which
// has the same fragments in the same lanes. No CUDA.
#pragma once

#include "gpu/element.cuh"
#include "gpu/mma/lane_tables.h"
#include "gpu/warp.cuh"

#if defined(SPB_GPU_HIP)
#include "gpu/mma/matrix_builtins_hip.cuh"
#elif defined(SPB_GPU_HOST)
#include "gpu/mma/matrix_twin_host.h"
#endif

namespace spb::gpu {

/// Multiplies a wavefront's fragments of E: lane l's element e of A is A(table.line(l), k(l, e)),
/// of B B(k(l, e), line(l)); its sum r is D(row(l, r), line(l)).
template <class E, MatrixCores Cores, int Size>
struct MatrixAtomOf {
  static constexpr MatrixCores kCores = Cores;
  static_assert(find_matrix_atom(Cores, E::dtype, Size) != nullptr, "no such instruction");
  static constexpr MatrixAtom kAtom = *find_matrix_atom(Cores, E::dtype, Size);
  static constexpr LaneTable kTable = kAtom.table;
  static constexpr int kElements = kTable.elements(), kSums = kTable.sums();
  using Storage = typename E::Storage;

#if defined(SPB_GPU_HIP)
  /// Code of other chips has no such instruction.
  static constexpr bool kPresent = vendor::kHasMatrixCores<Cores>;

  static __device__ void multiply(float (&sums)[kSums], const Storage (&a)[kElements],
                                  const Storage (&b)[kElements]) {
    vendor::multiply_by_builtin<Cores, E::dtype, Size>(sums, a, b);
  }
#elif defined(SPB_GPU_HOST)
  static constexpr bool kPresent = warp_size() == kTable.lanes;

  static void multiply(float (&sums)[kSums], const Storage (&a)[kElements],
                       const Storage (&b)[kElements],
                       const vendor::Site& site = vendor::Site::current()) {
    if constexpr (kPresent) vendor::multiply_as_twin(kAtom, a, b, sums, site);
  }
#endif
};

}  // namespace spb::gpu
