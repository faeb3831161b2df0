// Defines the launches of one 16-bit type; included by the instance files alone.
#pragma once

#include "algorithms/implicit/row_wgmma.h"
#include "algorithms/implicit/row_wgmma_kernel.cuh"
#include "algorithms/implicit/row_wgmma_launch.h"
#include "gpu/mma/tensor_map.h"

namespace spb::plans {

template <bool Bf16, bool Transposed, int Index>
void launch_wgmma_tile(const RowPass& pass, int multiprocessors, const gpu::Stream& stream) {
  constexpr const KernelVariant& variant = kWgmmaRowVariants[Index];
  constexpr int kTileN = variant.tile_n, kStages = variant.stages;
  using Rows = WgmmaRows<Bf16, Transposed, kTileN, kStages>;
  static_assert(Rows::kTileM == variant.tile_m && Rows::kTileK == variant.tile_k &&
                Rows::kThreads == variant.threads);
  const int c_in = Transposed ? pass.columns : pass.depth;
  const int c_out = Transposed ? pass.depth : pass.columns;
  const CUtensorMap weights =
      gpu::tensor_map_16bit(pass.weights, Bf16, {c_in, pass.kernel_volume, c_out},
                            {64, 1, Transposed ? Rows::kTileK : kTileN});
  const int64_t blocks = int64_t{multiprocessors} * kWgmmaRowBlocks[Index];
  gpu::launch(wgmma_rows_kernel<Rows, kWgmmaRowBlocks[Index], kStages>,
              dim3(static_cast<unsigned>(pass.item_count < blocks ? pass.item_count : blocks)),
              dim3(Rows::kThreads), Rows::Ring::kSharedBytes, stream, weights, pass);
}

template <bool Bf16, bool Transposed>
void launch_wgmma_rows_of(int index, const RowPass& pass, int multiprocessors,
                          const gpu::Stream& stream) {
  if (index == 0)
    launch_wgmma_tile<Bf16, Transposed, 0>(pass, multiprocessors, stream);
  else if (index == 1)
    launch_wgmma_tile<Bf16, Transposed, 1>(pass, multiprocessors, stream);
  else
    launch_wgmma_tile<Bf16, Transposed, 2>(pass, multiprocessors, stream);
}

}  // namespace spb::plans
