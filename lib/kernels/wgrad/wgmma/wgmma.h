// The launch of wgrad's kernels for sm_90a, which only CUDA builds have.
#pragma once

#include "kernels/wgrad/pass.h"

namespace spb::plans {

/// Launches pass.tile if it is one of these kernels. E: gpu::F16 or gpu::BF16.
template <class E>
bool launch_wgrad_wgmma_of(const WgradPass& pass, const gpu::Stream& stream);

}  // namespace spb::plans
