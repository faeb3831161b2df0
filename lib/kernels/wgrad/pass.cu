#include "gpu/element.cuh"
#include "kernels/wgrad/pass.h"
#include "kernels/wgrad/tiles.h"

namespace spb::plans {

void launch_wgrad_pass(Dtype dtype, const WgradPass& pass, const gpu::Stream& stream) {
  if (kWgradTiles[pass.tile].variant.min_arch > 0)
    gpu::dispatch(dtype,
                  [&](auto element) { launch_wgrad_sm80_of<decltype(element)>(pass, stream); });
  else
    gpu::dispatch_factors(
        dtype, [&](auto element) { launch_wgrad_pass_of<decltype(element)>(pass, stream); });
}

}  // namespace spb::plans
