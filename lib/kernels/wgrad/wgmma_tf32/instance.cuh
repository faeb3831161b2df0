// SPDX-License-Identifier: Apache-2.0
// Defines the wgrad launches of tf32 and 3xtf32 for sm_90a; included by generated files alone. CUDA
// only.
#pragma once

#include <utility>

#include "kernels/wgrad/tiles.h"
#include "kernels/wgrad/wgmma/wgmma.h"
#include "kernels/wgrad/wgmma_tf32/kernel.cuh"

namespace spb::plans {

template <class E, int Index>
bool launch_wgrad_wgmma_tf32_if(const WgradParams& params, const gpu::Stream& stream) {
  constexpr const WgradTile& row = kWgradTiles[Index];
  constexpr int kStages = row.variant.stages;
  using Wgrad = WgradWgmmaTf32<E, row.variant.tile_m, row.variant.tile_n, row.slots, kStages>;
  static_assert(Wgrad::kTileK == row.variant.tile_k &&
                Wgrad::kLaunchThreads == row.variant.threads && row.blocks == 1 &&
                Wgrad::kSharedBytes == wgrad_shared_bytes(row));
  if (params.tile != Index) return false;
  gpu::launch_early(wgrad_wgmma_tf32_kernel<Wgrad, kStages>,
                    dim3(static_cast<unsigned>(params.blocks)), dim3(Wgrad::kLaunchThreads),
                    Wgrad::kSharedBytes, stream, params);
  launch_wgrad_sums<E, typename Wgrad::Sums, row.slots>(params, stream);
  return true;
}

template <class E>
bool launch_wgrad_wgmma_of(const WgradParams& params, const gpu::Stream& stream) {
  const auto launch_any = [&]<int... Index>(std::integer_sequence<int, Index...>) {
    return (launch_wgrad_wgmma_tf32_if<E, Index>(params, stream) || ...);
  };
  static_assert(gpu::is_tf32<E>);
  if constexpr (E::dtype == Dtype::tf32x3)
    return launch_any(
        std::integer_sequence<int, kWgmma3xTf128x256, kWgmma3xTf128x128, kWgmma3xTf64x128Of2>());
  else
    return launch_any(
        std::integer_sequence<int, kWgmmaTf128x256, kWgmmaTf128x128, kWgmmaTf64x256Of4>());
}

}  // namespace spb::plans

#define SPB_INSTANCE(E) \
  template bool launch_wgrad_wgmma_of<gpu::E>(const WgradParams&, const gpu::Stream&);
