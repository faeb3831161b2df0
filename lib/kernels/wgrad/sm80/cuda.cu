// SPDX-License-Identifier: Apache-2.0
#include "gpu/element.cuh"
#include "kernels/wgrad/sm80/sm80.h"

namespace spb::plans {

void launch_wgrad_of_vendor(Dtype dtype, const WgradParams& params, const gpu::Stream& stream) {
  gpu::dispatch(dtype,
                [&](auto element) { launch_wgrad_sm80_of<decltype(element)>(params, stream); });
}

}  // namespace spb::plans
