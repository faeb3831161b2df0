// SPDX-License-Identifier: Apache-2.0
// For vendors without these tiles: choose_wgrad_tile() never names one.
#include "core/error.h"
#include "gpu/element.cuh"
#include "kernels/wgrad/params.h"

namespace spb::plans {

template <class E>
void launch_wgrad_sm80_of(const WgradParams&, const gpu::Stream&) {
  throw Error(ExitCode::runtime, "wgrad tiles of sm_80 run on NVIDIA GPUs only");
}

template void launch_wgrad_sm80_of<gpu::F32>(const WgradParams&, const gpu::Stream&);
template void launch_wgrad_sm80_of<gpu::TF32>(const WgradParams&, const gpu::Stream&);
template void launch_wgrad_sm80_of<gpu::TF32x3>(const WgradParams&, const gpu::Stream&);
template void launch_wgrad_sm80_of<gpu::F16>(const WgradParams&, const gpu::Stream&);
template void launch_wgrad_sm80_of<gpu::BF16>(const WgradParams&, const gpu::Stream&);

}  // namespace spb::plans
