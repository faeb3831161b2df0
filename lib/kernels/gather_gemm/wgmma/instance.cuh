// Defines the launches of one type; included by generated files alone.
#pragma once

#include <iterator>
#include <utility>

#include "gpu/launch_together_cuda.cuh"
#include "gpu/mma/tensor_map.h"
#include "kernels/gather_gemm/weights.h"
#include "kernels/gather_gemm/wgmma/kernel.cuh"
#include "kernels/gather_gemm/wgmma/launch.h"
#include "kernels/gather_gemm/wgmma/wgmma.h"

namespace spb::plans {

template <class E, bool Transposed, int Index>
void launch_wgmma_tile(const RowPass& pass, int multiprocessors, const gpu::Stream& stream) {
  constexpr const KernelVariant& variant = kWgmmaRowVariants[Index];
  constexpr int kTileN = variant.tile_n, kStages = variant.stages;
  using Rows = WgmmaRows<E, Transposed, kTileN, kStages>;
  static_assert(Rows::kTileM == variant.tile_m && Rows::kTileK == variant.tile_k &&
                Rows::kThreads == variant.threads);
  const int c_in = Transposed ? pass.columns : pass.depth;
  const int c_out = Transposed ? pass.depth : pass.columns;
  if constexpr (Rows::kTf32) prepare_tf32_weights(pass, stream);
  const CUtensorMap weights = gpu::tensor_map(
      Rows::kTf32 ? pass.prepared : pass.weights, E::dtype, {c_in, pass.kernel_volume, c_out},
      {128 / Rows::kElementBytes, 1, Transposed ? Rows::kTileK : kTileN});
  const int64_t blocks = int64_t{multiprocessors} * kWgmmaRowBlocks[Index];
  const int64_t in_turns = pass.item_count < blocks ? pass.item_count : blocks;
  const dim3 grid(static_cast<unsigned>(pass.hands > 0 ? pass.hands : in_turns));
  const auto kernel = wgmma_rows_kernel<Rows, kWgmmaRowBlocks[Index], kStages>;
  if (pass.turns)
    gpu::launch_together(kernel, grid, dim3(Rows::kThreads), Rows::Pipeline::kSharedBytes, stream,
                         weights, pass);
  else if (kWgmmaRowBlocks[Index] == 1)
    gpu::launch_early(kernel, grid, dim3(Rows::kThreads), Rows::Pipeline::kSharedBytes, stream,
                      weights, pass);
  else  // early blocks would crowd on those multiprocessors that have room first
    gpu::launch(kernel, grid, dim3(Rows::kThreads), Rows::Pipeline::kSharedBytes, stream, weights,
                pass);
}

template <class E, bool Transposed>
void launch_wgmma_rows_of(int index, const RowPass& pass, int multiprocessors,
                          const gpu::Stream& stream) {
  const auto launch_if = [&]<int Index>(std::integral_constant<int, Index>) {
    if constexpr ((kWgmmaRowVariants[Index].dtypes & dtype_bit(E::dtype)) != 0)
      if (index == Index) launch_wgmma_tile<E, Transposed, Index>(pass, multiprocessors, stream);
  };
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (launch_if(std::integral_constant<int, I>()), ...);
  }
  (std::make_integer_sequence<int, int{std::size(kWgmmaRowVariants)}>());
}

}  // namespace spb::plans

#define SPB_INSTANCE(E, TRANSPOSED)                                                \
  template void launch_wgmma_rows_of<gpu::E, TRANSPOSED>(int, const RowPass&, int, \
                                                         const gpu::Stream&);
