// SPDX-License-Identifier: Apache-2.0
// Columns of pair lists, made by a block that knows the masks of its rows.
#pragma once

#include "gpu/launch.cuh"
#include "maps/lists/list_parts.h"

namespace spb::maps {

constexpr int32_t kColumnBlock = 128;  // rows of a block that makes columns
constexpr int kBlockChunks = static_cast<int>(kColumnBlock / kColumnRows);

/// Words of shared memory for a block's columns: [volume, kColumnBlock / 32].
__host__ __device__ constexpr int32_t column_words(int32_t volume) {
  return volume * (kColumnBlock / 32);
}

/// Bit j of lane i becomes bit i of lane j, among 32 lanes.
__device__ inline uint32_t transpose_lanes(uint32_t bits) {
  for (int step = 16; step > 0; step /= 2) {
    const uint32_t low = ~uint32_t{0} / ((uint32_t{1} << step) + 1);  // of each 2 step bits
    const uint32_t other = gpu::shuffle_xor(bits, step);
    bits = gpu::lane() & step ? (bits & ~low) | (other >> step & low)
                              : (bits & low) | (other & low) << step;
  }
  return bits;
}

/// By all lanes of a warp: thread i < kColumnBlock has the mask of row i, 0 beyond the last.
__device__ inline void stage_columns(uint32_t mask, int32_t volume, uint32_t* staged) {
  const auto thread = static_cast<int32_t>(threadIdx.x);
  const uint32_t column = transpose_lanes(mask);
  if (thread % 32 < volume) staged[thread % 32 * (kColumnBlock / 32) + thread / 32] = column;
}

/// What is staged, of the rows from `first` on, by all threads of the block.
__device__ inline void write_columns(const uint32_t* staged, int64_t first, int32_t volume,
                                     const ColumnCounts& columns) {
  const auto thread = static_cast<int32_t>(threadIdx.x), threads = static_cast<int32_t>(blockDim.x);
  if (first + thread == 0) columns.counts[columns.chunks * volume] = 0;
  for (int32_t i = thread; i < volume * kBlockChunks; i += threads) {
    const int64_t chunk = first / kColumnRows + i % kBlockChunks;
    if (chunk >= columns.chunks) continue;
    const uint64_t column = uint64_t{staged[2 * i + 1]} << 32 | staged[2 * i];
    const int64_t place = i / kBlockChunks * columns.chunks + chunk;
    columns.words[place] = column;
    columns.counts[place] = gpu::popcount(column);
  }
}

}  // namespace spb::maps
