// SPDX-License-Identifier: Apache-2.0
#include "gpu/element.cuh"
#include "kernels/gather_gemm/kernels.h"
#include "kernels/gather_gemm/sm80/sm80.h"
#include "kernels/gather_gemm/sm80/tiles.h"

namespace spb::plans {

void launch_sm80_rows(int index, Dtype dtype, const GatherGemmParams& params,
                      const gpu::Stream& stream) {
  const bool transposed = params.weight_k_pitch != 1;
  gpu::dispatch(dtype, [&]<class E>(E) {
    const auto launch = transposed ? launch_sm80_row_of<E, true> : launch_sm80_row_of<E, false>;
    launch(index, params, stream);
  });
}

namespace {
int row_blocks(int index, Dtype dtype, bool transposed, bool adds) {
  return gpu::dispatch(dtype, [&]<class E>(E) {
    return transposed ? sm80_row_blocks_of<E, true>(index, adds)
                      : sm80_row_blocks_of<E, false>(index, adds);
  });
}
}  // namespace

int sm80_row_blocks(int index, Dtype dtype, bool transposed) {
  return row_blocks(index, dtype, transposed, false);
}
int sm80_adding_row_blocks(int index, Dtype dtype, bool transposed) {
  return row_blocks(index, dtype, transposed, true);
}

}  // namespace spb::plans
