// SPDX-License-Identifier: Apache-2.0
// Pair lists per offset: what a block of threads writes of them.
#pragma once

#include "gpu/launch.cuh"
#include "maps/lists/fill_parts.h"
#include "maps/pairs/unrolled.cuh"

namespace spb::maps {

/// A column's rows in one chunk, and where their pairs begin.
struct ColumnPart {
  uint64_t rows;
  int64_t begin;
};

/// Chunks that a block of `rows` threads, a power of two, has rows of.
__host__ __device__ constexpr int32_t columns_of(int32_t rows) {
  return rows > kColumnRows ? rows / static_cast<int32_t>(kColumnRows) : 1;
}

/// A block stages its rows of the map and their parts of the columns, then each thread places the
/// pairs of one row; at one offset the places of neighboring rows follow one another. Takes a power
/// of two of threads and fill.shared_bytes() of them.
__device__ inline void write_pairs(const PairFill& fill, int64_t block) {
  const auto thread = static_cast<int32_t>(threadIdx.x), threads = static_cast<int32_t>(blockDim.x);
  const int32_t kernel_volume = fill.kernel_volume, block_chunks = columns_of(threads);
  auto* parts = gpu::dynamic_shared<ColumnPart>();  // [kernel_volume, block_chunks]
  auto* staged = reinterpret_cast<int32_t*>(parts + kernel_volume * block_chunks);
  const int64_t first = block * threads, first_chunk = first / kColumnRows;
  const int64_t base = fill.begin[0];
  for (int32_t i = thread; i < kernel_volume * block_chunks; i += threads) {
    const int32_t o = i / block_chunks;
    const int64_t chunk = first_chunk + i % block_chunks;
    if (chunk >= fill.chunks) continue;
    const int64_t part = o * fill.chunks + chunk;
    parts[i] = {fill.columns[part], fill.begin[part] - base};
  }
  const auto rows = static_cast<int32_t>(fill.n - first < threads ? fill.n - first : threads);
  const int32_t* from = fill.map + first * kernel_volume;
  copy_together(
      thread, rows * kernel_volume, threads, [&](int32_t i) { return from[i]; },
      [&](int32_t i, int32_t value) { staged[i] = value; });
  gpu::sync_threads();
  const int64_t row = first + thread;
  if (row >= fill.n) return;
  const uint64_t before = (uint64_t{1} << row % kColumnRows) - 1;
  const int32_t* neighbors = staged + thread * kernel_volume;
  const ColumnPart* part = parts + (row / kColumnRows - first_chunk);
  for (int32_t o = 0; o < kernel_volume; ++o, part += block_chunks) {
    const int32_t neighbor = neighbors[o];
    if (neighbor < 0) continue;
    const int64_t pair = part->begin + gpu::popcount(part->rows & before);
    fill.fine_index[pair] = neighbor;
    fill.coarse_index[pair] = static_cast<int32_t>(row);
  }
}

}  // namespace spb::maps
