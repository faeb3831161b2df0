// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "core/error.h"
#include "gpu/element.cuh"
#include "kernels/gather_gemm/halo/halo.h"
#include "kernels/tiling.h"

namespace spb::plans {

int halo_row_blocks(int index, const RowWork& work) {
  const bool fits =
      work.depth <= kHaloRowVariants[index].tile_k && work.offsets <= kMostHaloMatrices;
  return work.masked && !work.split_k && work.along_z && fits ? kHaloRowBlocks : 0;
}

void launch_halo_rows(int, Dtype dtype, const GatherGemmParams& params, const gpu::Stream& stream) {
  if (params.kernel_volume > kMostHaloMatrices)
    throw Error(ExitCode::runtime, "a halo kernel has no room for " +
                                       std::to_string(params.kernel_volume) + " offsets, at most " +
                                       std::to_string(kMostHaloMatrices));
  const bool transposed = params.weight_k_pitch != 1;
  const auto launch = [&]<class E>(E) {
    const auto of = transposed ? launch_halo_rows_of<E, true> : launch_halo_rows_of<E, false>;
    of(params, multiprocessors(), stream);
  };
  gpu::dispatch_halves("the halo kernel", dtype, launch);
}

}  // namespace spb::plans
