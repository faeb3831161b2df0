// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "core/error.h"
#include "gpu/element.cuh"
#include "kernels/gather_gemm/halo/halo.h"
#include "kernels/tiling.h"

namespace spb::plans {

int halo_row_blocks(int index, const RowWork& work) {
  const KernelVariant& variant = kHaloRowVariants[index];
  const bool fits =
      work.depth <= variant.tile_k && work.offsets <= kMostHaloMatrices &&
      (variant.tile_n == kHaloRowVariants[0].tile_n || work.columns <= variant.tile_n);
  if (!(work.masked && !work.split_k && work.along_z && fits)) return 0;
  if (variant.one_arch) return kHaloRowTiles[index].blocks;
  int blocks = 0;
  gpu::dispatch_halves("the halo kernel", work.dtype, [&]<class E>(E) {
    blocks =
        work.transposed ? halo_mma_blocks_of<E, true>(index) : halo_mma_blocks_of<E, false>(index);
  });
  return blocks;
}

double halo_us(int index, const RowWork& work) {
  // What a launch costs beside its tiles. Where columns take several tiles, each brings the halo
  // again.
  constexpr double kLaunchUs = 2, kAgain = 1.15;
  constexpr double kUnlikely = 4;  // where others were measured faster, or nothing was measured
  const auto& [variant, blocks, tile_us, from_rows] = kHaloRowTiles[index];
  const double tiles = double(tiles_of(work.rows, variant.tile_m)) / double(multiprocessors());
  const double columns = double(tiles_of(work.columns, variant.tile_n));
  return (kLaunchUs + tile_us * tiles * (columns > 1 ? kAgain * columns : 1)) *
         (work.suits_halos && work.rows >= from_rows ? 1 : kUnlikely);
}

void launch_halo_rows(int index, Dtype dtype, const GatherGemmParams& params,
                      const gpu::Stream& stream) {
  if (params.kernel_volume > kMostHaloMatrices)
    throw Error(ExitCode::runtime, "a halo kernel has no room for " +
                                       std::to_string(params.kernel_volume) + " offsets, at most " +
                                       std::to_string(kMostHaloMatrices));
  const bool transposed = params.weight_k_pitch != 1;
  gpu::dispatch_halves("the halo kernel", dtype, [&]<class E>(E) {
    if (kHaloRowVariants[index].one_arch) {
      const auto of = transposed ? launch_halo_wgmma_of<E, true> : launch_halo_wgmma_of<E, false>;
      of(params, stream);
    } else {
      const auto of = transposed ? launch_halo_mma_of<E, true> : launch_halo_mma_of<E, false>;
      of(index, params, stream);
    }
  });
}

}  // namespace spb::plans
