// SPDX-License-Identifier: Apache-2.0
#include "kernels/wgrad/params.h"

#include "gpu/element.cuh"
#include "kernels/wgrad/tiles.h"

namespace spb::plans {

void launch_wgrad(Dtype dtype, const WgradParams& params, const gpu::Stream& stream) {
  if (const KernelVariant& variant = kWgradTiles[params.tile].variant; !variant.is_portable())
    launch_wgrad_of_vendor(dtype, params, stream);
  else
    gpu::dispatch_factors(
        dtype, [&](auto element) { launch_portable_wgrad_of<decltype(element)>(params, stream); });
}

}  // namespace spb::plans
