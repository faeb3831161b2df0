// SPDX-License-Identifier: Apache-2.0
#include "gpu/element.cuh"
#include "kernels/gather_gemm/wgmma/launch.h"
#include "kernels/gather_gemm/wgmma/wgmma.h"
#include "kernels/tiling.h"

namespace spb::plans {

int wgmma_row_blocks(int index, const RowWork& work) {
  const KernelVariant& variant = kWgmmaRowVariants[index];
  const WorkTileShape most{static_cast<int>(tiles_of(work.columns, variant.tile_n)),
                           static_cast<int>(tiles_of(work.depth, variant.tile_k)), kMostRowSlices};
  const bool fits =
      work_tiles_fit(tiles_of(work.rows, variant.tile_m), static_cast<int>(work.offsets), most);
  return work.masked && fits ? kWgmmaRowBlocks[index] : 0;
}

void launch_wgmma_rows(int index, Dtype dtype, const GatherGemmParams& params,
                       const gpu::Stream& stream) {
  const bool transposed = params.weight_k_pitch != 1;
  const auto launch = [&]<class E>(E) {
    const auto of = transposed ? launch_wgmma_rows_of<E, true> : launch_wgmma_rows_of<E, false>;
    of(index, params, multiprocessors(), stream);
  };
  if (dtype == Dtype::tf32)
    launch_wgmma_rows_of<gpu::TF32, false>(index, params, multiprocessors(), stream);
  else if (dtype == Dtype::tf32x3)
    launch_wgmma_rows_of<gpu::TF32x3, false>(index, params, multiprocessors(), stream);
  else if (info(dtype).is_scaled())
    gpu::dispatch_scaled("the wgmma kernel", dtype, [&]<class E>(E) {
      launch_wgmma_rows_of<E, false>(index, params, multiprocessors(), stream);
    });
  else
    gpu::dispatch_halves("the wgmma kernel", dtype, launch);
}

}  // namespace spb::plans
