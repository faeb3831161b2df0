// SPDX-License-Identifier: Apache-2.0
// Defines the launches of one type; included by generated files alone.
#pragma once

#include "core/error.h"
#include "gpu/mma/resident_sm80.cuh"
#include "kernels/gather_gemm/halo/halo.h"
#include "kernels/gather_gemm/halo/launch.cuh"
#include "kernels/gather_gemm/halo/sm80/sums.cuh"

namespace spb::plans {

/// f.operator()<HaloRows<...>>() for the kernel of the index.
template <class E, bool Transposed, class F>
void with_halo_mma(int index, F&& f) {
  const auto call_if = [&]<int Index>() {
    constexpr const KernelVariant& variant = kHaloRowTiles[Index].variant;
    constexpr int kRowTiles = variant.tile_m / 16 / (variant.threads / 32);  // of a warp
    using Rows = HaloRows<MmaHaloSums<E, Transposed, variant.tile_n, variant.tile_k, kRowTiles,
                                      kHaloRowTiles[Index].blocks>>;
    static_assert(Rows::kTileM == variant.tile_m && Rows::kThreads == variant.threads);
    if (index == Index) f.template operator()<Rows>();
  };
  call_if.template operator()<1>();
  call_if.template operator()<2>();
}

template <class E, bool Transposed>
int halo_mma_blocks_of(int index) {
  int blocks = 0;
  with_halo_mma<E, Transposed>(index, [&]<class Rows>() {
    blocks = gpu::resident_blocks<halo_rows_kernel<Rows>>(Rows::kThreads, Rows::kSharedBytes);
  });
  return blocks;
}

template <class E, bool Transposed>
void launch_halo_mma_of(int index, const GatherGemmParams& params, const gpu::Stream& stream) {
  with_halo_mma<E, Transposed>(index, [&]<class Rows>() {
    launch_halo_rows_at<Rows>(params, halo_mma_blocks_of<E, Transposed>(index), stream);
  });
}

}  // namespace spb::plans

#define SPB_INSTANCE(E, TRANSPOSED)                                                  \
  template void launch_halo_mma_of<gpu::E, TRANSPOSED>(int, const GatherGemmParams&, \
                                                       const gpu::Stream&);          \
  template int halo_mma_blocks_of<gpu::E, TRANSPOSED>(int);
