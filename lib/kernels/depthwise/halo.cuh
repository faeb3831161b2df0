// SPDX-License-Identifier: Apache-2.0
// What depthwise kernels share that bring a tile's halo to shared memory (maps/halo.h).
#pragma once

#include "kernels/common/halo_places.h"
#include "kernels/depthwise/layout.cuh"

namespace spb::plans {

inline constexpr int kSlotBytes = HaloPlaces::kRowBytes, kChunkBytes = HaloPlaces::kChunkBytes;
inline constexpr int kHaloBytes = maps::kHaloSlots * kSlotBytes;
inline constexpr int kEntryBytes = HaloPlaces::kEntryBytes;
/// Threads side by side that have a chunk each of a row.
inline constexpr int kChunkLanesLog2 = 2;
static_assert(1 << kChunkLanesLog2 == maps::kHaloChunks);

/// Bits of the offsets less than `offset`, which is at least 1.
__device__ inline uint32_t offsets_below(int offset) {
  return (uint32_t{1} << (offset - 1) << 1) - 1;
}

/// Of the halo: chunk `chunk` of the row at a local index.
template <class Word>
__device__ const Word& halo_word(const char* halo, uint32_t local, uint32_t chunk) {
  return *reinterpret_cast<const Word*>(halo + HaloPlaces::row(0, local, chunk));
}

/// The first of the two positions of a group that a pair of wgrad has in a step. Pairs 0, 2, 4, 6
/// have the lower halves of eight positions each, the others the upper ones.
inline constexpr int kHaloPairs = 8;
__host__ __device__ constexpr int pair_position(int pair, int step) {
  return pair / 2 * 8 + pair % 2 * 4 + step % 2 * 2 + step / 2 * (kHaloPairs / 2 * 8);
}

/// Begins to copy `bytes` bytes, a multiple of kChunkBytes, by all threads of the block.
__device__ inline void copy_all(void* to, const void* from, int bytes, int thread, int threads) {
  for (int i = thread * kChunkBytes; i < bytes; i += threads * kChunkBytes)
    gpu::copy_ahead<kChunkBytes>(static_cast<char*>(to) + i, static_cast<const char*>(from) + i);
}

/// Begins to bring the rows of a round to their slots, by all threads of the block. `list` as in
/// HaloLists::slots; `channels`: of row 0, those of the thread's chunk, which lies `inside`.
__device__ inline void copy_halo(const uint32_t* list, int slot_count, const char* channels,
                                 uint32_t row_bytes, bool inside, char* halo, int thread,
                                 int threads) {
  if (!inside) return;
  const auto chunk = static_cast<uint32_t>(thread) % maps::kHaloChunks;
  for (int slot = thread / maps::kHaloChunks; slot < slot_count;
       slot += threads / maps::kHaloChunks) {
    const uint32_t entry = list[slot];
    if (entry == maps::HaloLists::kNoRow) continue;
    gpu::copy_ahead<kChunkBytes>(
        halo + slot * kSlotBytes + (chunk ^ (entry & (maps::kHaloChunks - 1))) * kChunkBytes,
        channels + gpu::multiply_wide(entry >> 2, row_bytes));
  }
}

}  // namespace spb::plans
