// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/wgrad/params.h"

namespace spb::plans {

/// Instances (CMakeLists.txt): E is the element type of gpu/element.cuh. Tiles that read halos.
template <class E>
void launch_halo_wgrad_of(const WgradParams& params, const gpu::Stream& stream);
/// The one of them by wgmma.
template <class E>
void launch_halo_wgmma_wgrad_of(const WgradParams& params, const gpu::Stream& stream);

}  // namespace spb::plans
