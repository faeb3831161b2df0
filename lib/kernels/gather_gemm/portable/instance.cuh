// SPDX-License-Identifier: Apache-2.0
// Defines the fprop and dgrad launches of one element type; included by generated files alone.
#pragma once

#include "gpu/mma/mma_fma.cuh"
#include "kernels/gather_gemm/params.h"
#include "kernels/gather_gemm/portable/tile_kernel.cuh"
#include "kernels/gather_gemm/portable/tiles.h"
#include "kernels/tiling.h"

namespace spb::plans {

template <class E, class Mma>
void launch_row_tile(const GatherGemmParams& params, const gpu::Stream& stream) {
  const int column_tiles = static_cast<int>(tiles_of(params.n, Mma::kTileN));
  const dim3 grid(static_cast<unsigned>(tiles_of(params.rows, Mma::kTileM) * column_tiles),
                  static_cast<unsigned>(params.split), static_cast<unsigned>(params.groups));
  const auto kernel = params.segment_count > 0 || params.tile_index ? tile_kernel<E, Mma, true>
                                                                    : tile_kernel<E, Mma, false>;
  gpu::launch(kernel, grid, dim3(Mma::kThreads), 0, stream, params, column_tiles);
}

template <class E>
void launch_portable_gather_gemm_of(int tile, const GatherGemmParams& params,
                                    const gpu::Stream& stream) {
  using Narrow = gpu::MmaFma<64, 32, 32, 4, 8, typename E::Sum>;
  using Wide = gpu::MmaFma<64, 64, 32, 8, 8, typename E::Sum>;
  static_assert(has_shape<Narrow>(kPortableRowTiles[0]) && has_shape<Wide>(kPortableRowTiles[1]));
  if (tile == 0)
    launch_row_tile<E, Narrow>(params, stream);
  else
    launch_row_tile<E, Wide>(params, stream);
}

}  // namespace spb::plans

#define SPB_INSTANCE(E)                                                              \
  template void launch_portable_gather_gemm_of<gpu::E>(int, const GatherGemmParams&, \
                                                       const gpu::Stream&);
