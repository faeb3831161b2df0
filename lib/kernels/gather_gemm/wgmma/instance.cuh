// SPDX-License-Identifier: Apache-2.0
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

template <class E, bool Transposed, int Index, bool WithResidual>
void launch_wgmma_tile(const GatherGemmParams& params, int multiprocessors,
                       const gpu::Stream& stream) {
  constexpr const KernelVariant& variant = kWgmmaRowVariants[Index];
  constexpr int kTileN = variant.tile_n, kStages = variant.stages;
  constexpr bool kPromotes = variant.promoted_products > 0;
  constexpr int kRowBytes = variant.tile_k * int{sizeof(typename E::Storage)};
  using Rows = WgmmaRows<E, Transposed, kTileN, kRowBytes, kStages, WithResidual, kPromotes>;
  static_assert(!kPromotes || Rows::kTileK == variant.promoted_products);
  static_assert(Rows::kTileM == variant.tile_m && Rows::kTileK == variant.tile_k &&
                Rows::kThreads == variant.threads);
  const int c_in = Transposed ? params.n : params.k;
  const int c_out = Transposed ? params.k : params.n;
  if constexpr (Rows::kTf32) prepare_weights(E::dtype, params, stream);
  const CUtensorMap weights =
      gpu::tensor_map(Rows::kTf32 ? params.prepared : params.weights, info(E::dtype).weights,
                      {c_in, Rows::kParts * params.kernel_volume, c_out},
                      {kRowBytes / Rows::kElementBytes, 1, Transposed ? Rows::kTileK : kTileN});
  const int64_t blocks = int64_t{multiprocessors} * kWgmmaRowBlocks[Index];
  const int64_t dynamic_blocks = params.work_tile_count < blocks ? params.work_tile_count : blocks;
  const dim3 grid(static_cast<unsigned>(params.scheduled_blocks > 0 ? params.scheduled_blocks
                                                                    : dynamic_blocks));
  const auto kernel = wgmma_rows_kernel<Rows, kWgmmaRowBlocks[Index], kStages>;
  if (params.semaphores)
    gpu::launch_together(kernel, grid, dim3(Rows::kThreads), Rows::Pipeline::kSharedBytes, stream,
                         weights, params);
  else
    gpu::launch_early(kernel, grid, dim3(Rows::kThreads), Rows::Pipeline::kSharedBytes, stream,
                      weights, params);
}

template <class E, bool Transposed>
void launch_wgmma_rows_of(int index, const GatherGemmParams& params, int multiprocessors,
                          const gpu::Stream& stream) {
  // Else what reduces partials does.
  const bool adds_residual = params.epilogue.residual && (params.semaphores || !params.partials);
  const auto launch_if = [&]<int Index>(std::integral_constant<int, Index>) {
    if constexpr ((kWgmmaRowVariants[Index].dtypes & dtype_bit(E::dtype)) != 0)
      if (index == Index) {
        // dgrad, which may be Transposed, has no epilogue. Tiles of 64 columns and 16 bits load
        // residuals before they store: their four stages are too few for one more. So do bytes,
        // whose residual is scaled.
        constexpr bool kResidualStages = !Transposed && !gpu::is_scaled<E> &&
                                         (gpu::is_tf32<E> || kWgmmaRowVariants[Index].tile_n > 64);
        if constexpr (kResidualStages)
          if (adds_residual) {
            launch_wgmma_tile<E, Transposed, Index, true>(params, multiprocessors, stream);
            return true;
          }
        launch_wgmma_tile<E, Transposed, Index, false>(params, multiprocessors, stream);
        return true;
      }
    return false;
  };
  const bool launched = [&]<int... I>(std::integer_sequence<int, I...>) {
    return (launch_if(std::integral_constant<int, I>()) || ...);
  }
  (std::make_integer_sequence<int, int{std::size(kWgmmaRowVariants)}>());
  if (!launched) no_instance(kWgmmaRowVariants[index].name, E::dtype);
}

}  // namespace spb::plans

#define SPB_INSTANCE(E, TRANSPOSED)                                                         \
  template void launch_wgmma_rows_of<gpu::E, TRANSPOSED>(int, const GatherGemmParams&, int, \
                                                         const gpu::Stream&);
