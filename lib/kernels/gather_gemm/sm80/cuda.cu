// SPDX-License-Identifier: Apache-2.0
#include "gpu/element.cuh"
#include "kernels/gather_gemm/kernels.h"
#include "kernels/gather_gemm/sm80/sm80.h"
#include "kernels/gather_gemm/sm80/tiles.h"

namespace spb::plans {

void launch_sm80_rows(int index, Dtype dtype, const GatherGemmParams& params,
                      const gpu::Stream& stream) {
  if (info(dtype).is_scaled())
    return gpu::dispatch_scaled("the sm_80 kernel", dtype, [&]<class E>(E) {
      launch_sm80_row_of<E, false>(index, params, stream);
    });
  const bool transposed = params.weight_k_pitch != 1;
  gpu::dispatch(dtype, [&]<class E>(E) {
    const auto launch = transposed ? launch_sm80_row_of<E, true> : launch_sm80_row_of<E, false>;
    launch(index, params, stream);
  });
}

int sm80_row_blocks(int index, Dtype dtype, bool transposed, Sm80RowForm form) {
  if (info(dtype).is_scaled())
    return gpu::dispatch_scaled("the sm_80 kernel", dtype, [&]<class E>(E) {
      return transposed ? 0 : sm80_row_blocks_of<E, false>(index, form);
    });
  return gpu::dispatch(dtype, [&]<class E>(E) {
    return transposed ? sm80_row_blocks_of<E, true>(index, form)
                      : sm80_row_blocks_of<E, false>(index, form);
  });
}

}  // namespace spb::plans
