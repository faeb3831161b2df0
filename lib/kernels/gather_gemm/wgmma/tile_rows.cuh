// SPDX-License-Identifier: Apache-2.0
// How the rows of a tile are shared out among those who gather and those who multiply. CUDA only.
#pragma once

#include <cstdint>

#include "gpu/runtime.h"
#include "kernels/gather_gemm/params.h"
#include "kernels/gather_gemm/wgmma/work_tiles.cuh"

namespace spb::plans {

inline constexpr int kWgmmaTileM = 128, kWgmmaConsumers = 2, kWgmmaGroup = 128;

/// A pass of the producers copies kAtATime rows, of a thread for each chunk of 16 bytes: of rows of
/// 128 bytes thread t fills the shared rows t / 8 + 16 j, of 64 bytes t / 4 + 32 j. Those have the
/// same row % 8, so that the swizzle is a constant of the thread; the tile's rows are permuted so
/// that a thread's are consecutive positions, whose indices loads of 16 bytes bring.
template <int RowBytes>
struct WgmmaTileRows {
  static constexpr int kChunks = RowBytes / 16;
  static constexpr int kAtATime = kWgmmaGroup / kChunks;
  static constexpr int kPerThread = kWgmmaTileM / kAtATime;
  /// The position in the tile of a row in shared memory.
  static __device__ constexpr int position_of(int shared_row) {
    return shared_row % kAtATime * kPerThread + shared_row / kAtATime;
  }
};

/// Of a producer's rows, neighbors in the tile's list.
template <int RowsPerThread>
struct WgmmaRowIndices {
  int row[RowsPerThread];  // of the source, -1: absent
  /// `index`: the thread's first row of entry 0.
  __device__ void load(const int32_t* index, uint32_t entry) {
    const auto* from = reinterpret_cast<const int4*>(index) + uint64_t{entry} * (kWgmmaTileM / 4);
#pragma unroll
    for (int i = 0; i < RowsPerThread / 4; ++i) {
      const int4 four = __ldg(from + i);
      row[4 * i] = four.x;
      row[4 * i + 1] = four.y;
      row[4 * i + 2] = four.z;
      row[4 * i + 3] = four.w;
    }
  }
  /// The work tile's own, from a position in it on.
  __device__ void load_own(const GatherGemmParams& params, const WorkTile& work_tile, int first) {
    const int32_t* order = order_of(params, work_tile);
    const int64_t position = int64_t{work_tile.tile} * kWgmmaTileM + first;
#pragma unroll
    for (int j = 0; j < RowsPerThread; ++j) {
      row[j] = -1;
      if (position + j < params.rows)
        row[j] = order ? __ldg(order + position + j) : static_cast<int32_t>(position + j);
    }
  }
};

}  // namespace spb::plans
