// SPDX-License-Identifier: Apache-2.0
// Defines the launches of one type; included by generated files alone.
#pragma once

#include "kernels/gather_gemm/halo/halo.h"
#include "kernels/gather_gemm/halo/launch.cuh"
#include "kernels/gather_gemm/halo/wgmma/sums.cuh"

namespace spb::plans {

template <class E, bool Transposed>
void launch_halo_wgmma_of(const GatherGemmParams& params, const gpu::Stream& stream) {
  constexpr const KernelVariant& variant = kHaloRowVariants[0];
  using Rows = HaloRows<WgmmaHaloSums<E, Transposed>>;
  static_assert(Rows::kTileM == variant.tile_m && Rows::kTileN == variant.tile_n &&
                Rows::kTileK == variant.tile_k && Rows::kThreads == variant.threads);
  // Of a multiprocessor's 228 KiB, one is taken for each block.
  static_assert(Rows::kBlocks * (Rows::kSharedBytes + 1024) <= 228 * 1024);
  launch_halo_rows_at<Rows>(params, Rows::kBlocks, stream);
}

}  // namespace spb::plans

#define SPB_INSTANCE(E, TRANSPOSED)                                               \
  template void launch_halo_wgmma_of<gpu::E, TRANSPOSED>(const GatherGemmParams&, \
                                                         const gpu::Stream&);
