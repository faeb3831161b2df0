// SPDX-License-Identifier: Apache-2.0
// Groups of channels as a dimension of the grid: which part of the operands a block has. Kernels of
// one group take them whole, without any arithmetic for groups.
#pragma once

#include "gpu/runtime.h"
#include "kernels/gather_gemm/params.h"

namespace spb::plans {

/// Of a block of a launch whose grid has GatherGemmParams::groups as its z.
template <bool Grouped>
struct BlockGroup {
  const GatherGemmParams& params;

  /// Of channels in one row of the source, or of the output.
  __device__ int source_pitch() const { return Grouped ? params.groups * params.k : params.k; }
  __device__ int out_pitch() const { return Grouped ? params.groups * params.n : params.n; }

  template <class T>
  __device__ const T* source() const {
    return static_cast<const T*>(params.source) + first(params.k);
  }
  template <class T>
  __device__ const T* weights() const {
    return static_cast<const T*>(params.weights) + first(params.weight_group_pitch);
  }
  /// Of columns and outputs as out() counts them.
  template <class T>
  __device__ OutputEpilogue epilogue() const {
    OutputEpilogue own = params.epilogue;
    if (own.bias) own.bias += first(params.n);
    if (own.scale) own.scale += first(params.n);
    if (own.residual) own.residual = static_cast<const T*>(own.residual) + first(params.n);
    return own;
  }
  template <class T>
  __device__ T* out() const {
    return static_cast<T*>(params.out) + first(params.n);
  }
  template <class Sum = float>
  __device__ Sum* partials(int slice) const {
    return reinterpret_cast<Sum*>(params.partials) + slice * params.rows * out_pitch() +
           first(params.n);
  }

 private:
  __device__ int64_t first(int64_t pitch) const { return Grouped ? blockIdx.z * pitch : 0; }
};

}  // namespace spb::plans
