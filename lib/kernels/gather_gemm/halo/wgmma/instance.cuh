// SPDX-License-Identifier: Apache-2.0
// Defines the launches of one type; included by generated files alone.
#pragma once

#include <algorithm>

#include "kernels/gather_gemm/halo/halo.h"
#include "kernels/gather_gemm/halo/wgmma/sums.cuh"

namespace spb::plans {

template <class E, bool Transposed>
void launch_halo_rows_of(const GatherGemmParams& params, int multiprocessors,
                         const gpu::Stream& stream) {
  constexpr const KernelVariant& variant = kHaloRowVariants[0];
  using Rows = HaloRows<WgmmaHaloSums<E, Transposed>>;
  // Of a multiprocessor's 228 KiB, one is taken for each block.
  static_assert(Rows::kBlocks * (Rows::kSharedBytes + 1024) <= 228 * 1024);
  static_assert(Rows::kTileM == variant.tile_m && Rows::kTileN == variant.tile_n &&
                Rows::kTileK == variant.tile_k && Rows::kThreads == variant.threads);
  const int column_tiles = (params.n + Rows::kTileN - 1) / Rows::kTileN;
  const int at_a_time = std::max(multiprocessors * kHaloRowBlocks / column_tiles, 1);
  const dim3 grid(static_cast<unsigned>(std::min<int64_t>(params.halos.count, at_a_time)),
                  static_cast<unsigned>(column_tiles));
  gpu::launch(halo_rows_kernel<Rows>, grid, dim3(Rows::kThreads), Rows::kSharedBytes, stream,
              params);
}

}  // namespace spb::plans

#define SPB_INSTANCE(E, TRANSPOSED)                                                   \
  template void launch_halo_rows_of<gpu::E, TRANSPOSED>(const GatherGemmParams&, int, \
                                                        const gpu::Stream&);
