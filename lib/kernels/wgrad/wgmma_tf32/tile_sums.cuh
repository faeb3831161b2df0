// SPDX-License-Identifier: Apache-2.0
// The sums of a tile of wgrad's warpgroups of tf32 and 3xtf32, and how they are written. CUDA only.
#pragma once

#include "kernels/wgrad/sm80/tiles.cuh"
#include "kernels/wgrad/wgmma_tf32/places.h"

namespace spb::plans {

/// The sums of a tile as both consumers' threads hold them.
template <int TileM, int TileN>
struct WgradTf32Sums {
  using Places = WgradTf32Places<TileM, TileN>;
  static constexpr int kTileM = TileM, kTileN = TileN, kThreads = 256;
  static constexpr int kSumsOfThread = TileM * TileN / kThreads;
  static constexpr int kGroupSize = Places::kSumsOfGroup, kGroups = Places::kGroups;

  static __device__ void get_group(const float (&accumulators)[kSumsOfThread], int group,
                                   float (&values)[kGroupSize]) {
#pragma unroll
    for (int v = 0; v < kGroupSize; ++v)
      values[v] = accumulators[Places::group(group).sum(v / 2, v % 2)];
  }

  /// `thread` counts those of both consumers.
  template <class E>
  static __device__ void write(const GradientTile& tile, int group,
                               const float (&values)[kGroupSize], int thread) {
    const typename Places::SumGroup of = Places::group(group);
    const int column = Places::column_of(thread, of.block);
    const bool vectors = takes_vectors<E>(tile);
#pragma unroll
    for (int i = 0; i < kGroupSize / 2; ++i) {
      const int row = of.row(thread, i);
      if (row >= tile.rows) continue;
      float* to = static_cast<float*>(tile.first) + row * tile.row_pitch + column;
      if (!vectors)
        write_sums<E, 2>(to, tile.columns - column, {values[2 * i], values[2 * i + 1]});
      else if (column < tile.columns)
        *reinterpret_cast<float2*>(to) = {values[2 * i], values[2 * i + 1]};
    }
  }
};

}  // namespace spb::plans
