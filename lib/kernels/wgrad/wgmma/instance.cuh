// SPDX-License-Identifier: Apache-2.0
// Defines the wgrad launches for sm_90a; included by generated files alone. CUDA only.
#pragma once

#include "kernels/wgrad/tiles.h"
#include "kernels/wgrad/wgmma/kernel.cuh"
#include "kernels/wgrad/wgmma/wgmma.h"

namespace spb::plans {

template <class E, int Index>
bool launch_wgrad_wgmma_if(const WgradParams& params, const gpu::Stream& stream) {
  constexpr const WgradTile& row = kWgradTiles[Index];
  constexpr int kStages = row.variant.stages;
  using Wgrad = WgradWgmma<E, row.variant.tile_m, row.variant.tile_n, row.slots, kStages,
                           row.variant.threads / 128 - 2>;
  static_assert(Wgrad::kTileK == row.variant.tile_k &&
                Wgrad::kLaunchThreads == row.variant.threads && row.blocks == 1 &&
                Wgrad::kSharedBytes == wgrad_shared_bytes(row));
  if (params.tile != Index) return false;
  gpu::launch_early(wgrad_wgmma_kernel<Wgrad, kStages>, dim3(static_cast<unsigned>(params.blocks)),
                    dim3(Wgrad::kLaunchThreads), Wgrad::kSharedBytes, stream, params);
  launch_wgrad_sums<E, typename Wgrad::SumLayout, row.slots>(params, stream);
  return true;
}

template <class E>
bool launch_wgrad_wgmma_of(const WgradParams& params, const gpu::Stream& stream) {
  return launch_wgrad_wgmma_if<E, kWgmma128x256>(params, stream) ||
         launch_wgrad_wgmma_if<E, kWgmma128x256By2>(params, stream) ||
         launch_wgrad_wgmma_if<E, kWgmma128x128>(params, stream) ||
         launch_wgrad_wgmma_if<E, kWgmma128x256Of2>(params, stream) ||
         launch_wgrad_wgmma_if<E, kWgmma64x256Of4>(params, stream);
}

}  // namespace spb::plans

#define SPB_INSTANCE(E) \
  template bool launch_wgrad_wgmma_of<gpu::E>(const WgradParams&, const gpu::Stream&);
