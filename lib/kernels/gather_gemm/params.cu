// SPDX-License-Identifier: Apache-2.0
#include "kernels/gather_gemm/params.h"

#include "gpu/element.cuh"

namespace spb::plans {

void launch_portable_gather_gemm(int tile, Dtype dtype, const GatherGemmParams& params,
                                 const gpu::Stream& stream) {
  const auto launch = [&](auto element) {
    launch_portable_gather_gemm_of<decltype(element)>(tile, params, stream);
  };
  if (info(dtype).is_scaled())
    gpu::dispatch_scaled("the portable kernel", dtype, launch);
  else
    gpu::dispatch_factors(dtype, launch);
}

}  // namespace spb::plans
