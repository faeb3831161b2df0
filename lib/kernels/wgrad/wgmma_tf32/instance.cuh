// SPDX-License-Identifier: Apache-2.0
// Defines the tf32 wgrad launches for sm_90a; included by generated files alone. CUDA only.
#pragma once

#include "kernels/wgrad/tiles.h"
#include "kernels/wgrad/wgmma/wgmma.h"
#include "kernels/wgrad/wgmma_tf32/kernel.cuh"

namespace spb::plans {

template <int Index>
bool launch_wgrad_wgmma_tf32_if(const WgradParams& params, const gpu::Stream& stream) {
  constexpr const WgradTile& row = kWgradTiles[Index];
  constexpr int kStages = row.variant.stages;
  using Wgrad = WgradWgmmaTf32<row.variant.tile_m, row.variant.tile_n, row.slots, kStages>;
  static_assert(Wgrad::kTileK == row.variant.tile_k &&
                Wgrad::kLaunchThreads == row.variant.threads && row.blocks == 1 &&
                Wgrad::kSharedBytes == wgrad_shared_bytes(row));
  if (params.tile != Index) return false;
  gpu::launch_early(wgrad_wgmma_tf32_kernel<Wgrad, kStages>,
                    dim3(static_cast<unsigned>(params.blocks)), dim3(Wgrad::kLaunchThreads),
                    Wgrad::kSharedBytes, stream, params);
  launch_wgrad_sums<gpu::TF32, typename Wgrad::Sums, row.slots>(params, stream);
  return true;
}

template <class E>
bool launch_wgrad_wgmma_of(const WgradParams& params, const gpu::Stream& stream) {
  static_assert(E::dtype == Dtype::tf32);
  return launch_wgrad_wgmma_tf32_if<kWgmmaTf128x256>(params, stream) ||
         launch_wgrad_wgmma_tf32_if<kWgmmaTf128x128>(params, stream) ||
         launch_wgrad_wgmma_tf32_if<kWgmmaTf64x256Of4>(params, stream);
}

}  // namespace spb::plans

#define SPB_INSTANCE(E) \
  template bool launch_wgrad_wgmma_of<gpu::E>(const WgradParams&, const gpu::Stream&);
