// SPDX-License-Identifier: Apache-2.0
// How the rows of a tile are shared out among those who gather and those who multiply. CUDA only.
#pragma once

#include <cstdint>

#include "gpu/runtime.h"
#include "kernels/gather_gemm/params.h"
#include "kernels/gather_gemm/wgmma/work_tiles.cuh"

namespace spb::plans {

inline constexpr int kWgmmaTileM = 128, kWgmmaConsumers = 2, kWgmmaGroup = 128;

/// A pass of the producers copies this many rows, of 8 threads and 8 chunks of 16 bytes each:
/// thread t fills the shared rows t / 8 + 16 j. Rows 16 apart have the same row % 8, so that the
/// swizzle is a constant of the thread; the tile's rows are permuted so that a thread's are
/// consecutive positions, whose indices two loads of 16 bytes bring.
inline constexpr int kWgmmaRowsAtATime = kWgmmaGroup / 8;
inline constexpr int kWgmmaRowsPerThread = kWgmmaTileM / kWgmmaRowsAtATime;
/// The position in the tile of a row in shared memory.
__device__ constexpr int position_of(int shared_row) {
  return shared_row % kWgmmaRowsAtATime * kWgmmaRowsPerThread + shared_row / kWgmmaRowsAtATime;
}

/// Of a producer's rows, neighbors in the tile's list.
struct WgmmaRowIndices {
  int row[kWgmmaRowsPerThread];  // of the source, -1: absent
  /// `index`: the thread's first row of entry 0.
  __device__ void load(const int32_t* index, uint32_t entry) {
    const auto* from = reinterpret_cast<const int4*>(index) + uint64_t{entry} * (kWgmmaTileM / 4);
#pragma unroll
    for (int i = 0; i < kWgmmaRowsPerThread / 4; ++i) {
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
    for (int j = 0; j < kWgmmaRowsPerThread; ++j) {
      row[j] = -1;
      if (position + j < params.rows)
        row[j] = order ? __ldg(order + position + j) : static_cast<int32_t>(position + j);
    }
  }
};

}  // namespace spb::plans
