// SPDX-License-Identifier: Apache-2.0
// The tiles that a sum over the pairs of an offset is cut into.
#pragma once

#include "device_reference/sums.cuh"
#include "device_reference/work.h"

namespace spb::device_reference {

/// Pairs of the tiles that a sum over `count` of them is cut into.
GPU_HOST_DEVICE inline int64_t tile_pairs(int64_t count) {
  return count / 256 > 64 ? count / 256 : 64;
}
GPU_HOST_DEVICE inline int64_t tiles_of(int64_t count) {
  return (count + tile_pairs(count) - 1) / tile_pairs(count);
}

/// Of channels (j, i), the tile of the pairs from `first` to `last`.
template <class Wanted>
__device__ Tile tile_of(const WeightOperands& o, int64_t j, int64_t i, int64_t first,
                        int64_t last) {
  Tile tile;
  for (int64_t pair = first; pair < last; ++pair)
    tile.add<Wanted>(o.gout[int64_t{o.triples[pair].out} * o.c_out + j],
                     o.in[int64_t{o.triples[pair].in} * o.c_in + i]);
  return tile;
}

/// The sum over `pairs`, of tiles that stand `pitch` apart.
template <class Wanted>
__device__ Sums sum_tiles(int64_t pairs, const Tile* tiles, int64_t pitch) {
  const int64_t length = tile_pairs(pairs);
  Sums sums;
  for (int64_t t = 0; t < tiles_of(pairs); ++t) {
    const int64_t left = pairs - t * length;
    sums.add<Wanted>(tiles[t * pitch], static_cast<double>(left < length ? left : length));
  }
  return sums;
}

}  // namespace spb::device_reference
