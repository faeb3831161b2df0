// Defines the launches of one element type; included by the instance files alone.
#pragma once

#include "algorithms/implicit/launch.h"
#include "algorithms/implicit/tile_kernel.cuh"
#include "algorithms/implicit/tiles.h"
#include "algorithms/implicit/wgrad_kernel.cuh"
#include "gpu/mma/mma_fma.cuh"

namespace spb::plans {

constexpr int64_t tiles_of(int64_t items, int tile) { return (items + tile - 1) / tile; }

template <class Mma>
constexpr bool has_shape(const TileShape& shape) {
  return Mma::kTileM == shape.tile_m && Mma::kTileN == shape.tile_n && Mma::kTileK == shape.tile_k;
}

template <class E, class Mma>
void launch_row_tile(const RowPass& pass, const gpu::Stream& stream) {
  const int column_tiles = static_cast<int>(tiles_of(pass.columns, Mma::kTileN));
  const dim3 grid(static_cast<unsigned>(tiles_of(pass.rows, Mma::kTileM) * column_tiles),
                  static_cast<unsigned>(pass.split));
  gpu::launch(tile_kernel<E, Mma>, grid, dim3(Mma::kThreads), 0, stream, pass, column_tiles);
}

template <class E>
void launch_row_pass_of(const RowPass& pass, const gpu::Stream& stream) {
  using Narrow = gpu::MmaFma<64, 32, 32, 4, 8>;
  using Wide = gpu::MmaFma<64, 64, 32, 8, 8>;
  static_assert(has_shape<Narrow>(kRowTiles[0]) && has_shape<Wide>(kRowTiles[1]));
  if (pass.tile == 0)
    launch_row_tile<E, Narrow>(pass, stream);
  else
    launch_row_tile<E, Wide>(pass, stream);
}

template <class E, class Mma, class Pairs>
void launch_wgrad_tile(const WgradPass& pass, const Pairs& pairs, const gpu::Stream& stream) {
  const int64_t tiles =
      pass.kernel_volume * tiles_of(pass.c_out, Mma::kTileM) * tiles_of(pass.c_in, Mma::kTileN);
  const dim3 grid(static_cast<unsigned>(tiles), static_cast<unsigned>(pass.split));
  gpu::launch(wgrad_kernel<E, Mma, Pairs>, grid, dim3(Mma::kThreads), 0, stream, pass, pairs);
}

template <class E>
void launch_wgrad_pass_of(const WgradPass& pass, const gpu::Stream& stream) {
  using Small = gpu::MmaFma<32, 32, 32, 4, 8>;
  using Large = gpu::MmaFma<64, 64, 32, 8, 8>;
  static_assert(has_shape<Small>(kWgradTiles[0]) && has_shape<Large>(kWgradTiles[1]));
  const auto with_pairs = [&](const auto& pairs) {
    if (pass.tile == 0)
      launch_wgrad_tile<E, Small>(pass, pairs, stream);
    else
      launch_wgrad_tile<E, Large>(pass, pairs, stream);
  };
  if (pass.offset_begin)
    with_pairs(ListedPairs{pass.in_index, pass.out_index, pass.offset_begin});
  else
    with_pairs(AllRows{pass.map, pass.n_out, pass.kernel_volume});
}

}  // namespace spb::plans
