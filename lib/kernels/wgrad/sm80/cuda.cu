// SPDX-License-Identifier: Apache-2.0
#include "gpu/element.cuh"
#include "kernels/wgrad/halo/halo.h"
#include "kernels/wgrad/sm80/sm80.h"
#include "kernels/wgrad/tiles.h"

namespace spb::plans {

void launch_wgrad_of_vendor(Dtype dtype, const WgradParams& params, const gpu::Stream& stream) {
  if (shares_halos(kWgradTiles[params.tile]))
    return gpu::dispatch_halves("wgrad by halos", dtype,
                                [&]<class E>(E) { launch_halo_wgmma_wgrad_of<E>(params, stream); });
  if (kWgradTiles[params.tile].halos)
    return gpu::dispatch_halves("wgrad by halos", dtype,
                                [&]<class E>(E) { launch_halo_wgrad_of<E>(params, stream); });
  gpu::dispatch(dtype,
                [&](auto element) { launch_wgrad_sm80_of<decltype(element)>(params, stream); });
}

}  // namespace spb::plans
