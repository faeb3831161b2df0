// SPDX-License-Identifier: Apache-2.0
// The launch of wgrad's kernels for sm_90a, which only CUDA builds have.
#pragma once

#include "kernels/wgrad/params.h"

namespace spb::plans {

/// Launches params.tile if it is one of these kernels. E: gpu::F16, gpu::BF16,
/// gpu::TF32 or gpu::TF32x3, each defined by its folder's instance.cuh.
template <class E>
bool launch_wgrad_wgmma_of(const WgradParams& params, const gpu::Stream& stream);

}  // namespace spb::plans
