// SPDX-License-Identifier: Apache-2.0
#include "kernels/wgrad/params.h"

#include "gpu/element.cuh"
#include "kernels/wgrad/tiles.h"

namespace spb::plans {

void launch_wgrad(Dtype dtype, const WgradParams& params, const gpu::Stream& stream) {
  if (kWgradTiles[params.tile].variant.min_arch > 0)
    gpu::dispatch(dtype,
                  [&](auto element) { launch_wgrad_sm80_of<decltype(element)>(params, stream); });
  else
    gpu::dispatch_factors(
        dtype, [&](auto element) { launch_portable_wgrad_of<decltype(element)>(params, stream); });
}

}  // namespace spb::plans
