// SPDX-License-Identifier: Apache-2.0
// Defines the launches of one type; included by generated files alone.
#pragma once

#include "kernels/common/column_sum.h"
#include "kernels/wgrad/halo/halo.h"
#include "kernels/wgrad/halo/wgmma/kernel.cuh"
#include "kernels/wgrad/tiles.h"

namespace spb::plans {

template <class E>
void launch_halo_wgmma_wgrad_of(const WgradParams& params, const gpu::Stream& stream) {
  constexpr const WgradTile& row = kWgradTiles[kHaloWgmma64];
  using Places = HaloWgmmaWgradPlaces;
  static_assert(HaloWgmmaBlock::kThreads == row.variant.threads &&
                Places::kChannels == row.variant.tile_m && Places::kChannels == row.variant.tile_n);
  const int blocks = params.blocks * halo_wgrad_parts(row, params.kernel_volume);
  gpu::launch_early(halo_wgrad_wgmma_kernel<E>, dim3(static_cast<unsigned>(blocks)),
                    dim3(HaloWgmmaBlock::kThreads), wgrad_shared_bytes(row), stream, params);
  sum_partials(E::dtype, params.partials, params.blocks,
               int64_t{params.c_out} * params.kernel_volume * params.c_in, params.gw, stream);
}

}  // namespace spb::plans

#define SPB_INSTANCE(E) \
  template void launch_halo_wgmma_wgrad_of<gpu::E>(const WgradParams&, const gpu::Stream&);
