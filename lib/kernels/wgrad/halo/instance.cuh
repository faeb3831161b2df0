// SPDX-License-Identifier: Apache-2.0
// Defines the launches of one type; included by generated files alone.
#pragma once

#include "kernels/common/column_sum.h"
#include "kernels/wgrad/halo/halo.h"
#include "kernels/wgrad/halo/kernel.cuh"
#include "kernels/wgrad/tiles.h"

namespace spb::plans {

template <class E>
void launch_halo_wgrad_of(const WgradParams& params, const gpu::Stream& stream) {
  const auto launch_if = [&]<int Index>() {
    constexpr const WgradTile& row = kWgradTiles[Index];
    using Wgrad = HaloWgrad<E, row.variant.tile_m>;
    static_assert(Wgrad::kThreads == row.variant.threads && Wgrad::kChannels == row.variant.tile_n);
    static_assert(Wgrad::kSharedBytes == wgrad_shared_bytes(row));
    if (params.tile == Index)
      gpu::launch_early(halo_wgrad_sm80_kernel<Wgrad>, dim3(static_cast<unsigned>(params.blocks)),
                        dim3(Wgrad::kThreads), Wgrad::kSharedBytes, stream, params);
  };
  launch_if.template operator()<kHalo32>();
  launch_if.template operator()<kHalo16>();
  sum_partials(E::dtype, params.partials, params.blocks,
               int64_t{params.c_out} * params.kernel_volume * params.c_in, params.gw, stream);
}

}  // namespace spb::plans

#define SPB_INSTANCE(E) \
  template void launch_halo_wgrad_of<gpu::E>(const WgradParams&, const gpu::Stream&);
