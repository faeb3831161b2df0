// SPDX-License-Identifier: Apache-2.0
#include "gpu/element.cuh"
#include "kernels/wgrad/matrix_cores/matrix_cores.h"

namespace spb::plans {

void launch_wgrad_of_vendor(Dtype dtype, const WgradParams& params, const gpu::Stream& stream) {
  if (dtype == Dtype::f32) return launch_matrix_wgrad_of<gpu::F32>(params, stream);
  if (dtype == Dtype::tf32) return launch_matrix_wgrad_of<gpu::TF32>(params, stream);
  gpu::dispatch_halves("wgrad on matrix cores", dtype,
                       [&]<class E>(E) { launch_matrix_wgrad_of<E>(params, stream); });
}

}  // namespace spb::plans
