// SPDX-License-Identifier: Apache-2.0
#include "kernels/gather_gemm/params.h"

#include "gpu/element.cuh"

namespace spb::plans {

void launch_portable_gather_gemm(int tile, Dtype dtype, const GatherGemmParams& params,
                                 const gpu::Stream& stream) {
  gpu::dispatch_factors(dtype, [&](auto element) {
    launch_portable_gather_gemm_of<decltype(element)>(tile, params, stream);
  });
}

}  // namespace spb::plans
