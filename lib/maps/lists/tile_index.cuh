// SPDX-License-Identifier: Apache-2.0
// The offsets of every tile, and its input rows in tile order, so that a kernel reads them in
// sequence: what a block of threads writes of them.
#pragma once

#include "gpu/launch.cuh"
#include "maps/lists/fill_parts.h"
#include "maps/pairs/unrolled.cuh"

namespace spb::maps {

__device__ inline const uint32_t* mask_of(const ListsToFill& lists, int64_t tile) {
  return lists.tile_masks + tile * ((lists.kernel_volume + 31) / 32);
}
__device__ inline bool is_listed(const ListsToFill& lists, int64_t tile, int32_t o) {
  return mask_of(lists, tile)[o / 32] >> o % 32 & 1;
}
/// Among the tile's offsets, of one that it lists.
__device__ inline int32_t place_of(const ListsToFill& lists, int64_t tile, int32_t o) {
  const uint32_t* words = mask_of(lists, tile);
  int32_t place = gpu::popcount(words[o / 32] & ((uint32_t{1} << o % 32) - 1));
  for (int32_t word = 0; word < o / 32; ++word) place += gpu::popcount(words[word]);
  return place;
}
__device__ inline void write_starts(const ListsToFill& lists, int64_t tile) {
  const int64_t* begin = lists.begin;
  lists.seg[tile] = begin[tile] - begin[0];
  if (tile == lists.all_tiles - 1) lists.seg[lists.all_tiles] = begin[lists.all_tiles] - begin[0];
}

/// Block `block` of fill.blocks: stages the map's rows of its threads' positions, then writes them
/// offset by offset. Takes fill.block_rows threads and fill.shared_bytes.
__device__ inline void write_index(const IndexFill& fill, uint32_t block) {
  const ListsToFill& lists = fill.lists;
  const int32_t volume = lists.kernel_volume;
  const auto thread = static_cast<int32_t>(threadIdx.x), threads = static_cast<int32_t>(blockDim.x);
  auto* sources = gpu::dynamic_shared<int64_t>();  // [threads] entry of the map, or -1
  auto* staged = reinterpret_cast<int32_t*>(sources + threads);  // [threads, volume]
  int32_t* listed = staged + threads * volume;                   // [volume]
  const int64_t tile = block / static_cast<uint32_t>(fill.parts);
  const auto part = static_cast<int32_t>(block % static_cast<uint32_t>(fill.parts));
  const int64_t segment = tile / fill.tiles, first_tile = segment * fill.tiles;
  const int32_t in_tile = part * threads + thread;
  const int64_t position = (tile - first_tile) * fill.tile_rows + in_tile;
  int64_t source = -1;
  if (position < fill.n)
    source = (fill.order ? int64_t{fill.order[segment * fill.n + position]} : position) * volume;
  sources[thread] = source;
  for (int32_t o = thread; o < volume; o += threads) {
    if (!is_listed(lists, tile, o)) continue;
    const int32_t place = place_of(lists, tile, o);
    listed[place] = o;
    if (part == 0) lists.valid_kernel[lists.begin[tile] - lists.begin[0] + place] = o;
  }
  if (part == 0 && thread == 0) write_starts(lists, tile);
  gpu::sync_threads();
  // Neighboring threads read neighboring entries of a row. A product instead of a division: exact
  // for i * volume below 2^32, and more than that no block can stage.
  const uint64_t reciprocal = ~uint32_t{0} / static_cast<uint32_t>(volume) + uint64_t{1};
  copy_together(
      thread, threads * volume, threads,
      [&](int32_t i) {
        const auto row = static_cast<int32_t>(static_cast<uint32_t>(i) * reciprocal >> 32);
        return sources[row] < 0 ? -1 : fill.map[sources[row] + (i - row * volume)];
      },
      [&](int32_t i, int32_t value) { staged[i] = value; });
  gpu::sync_threads();
  if (in_tile >= fill.tile_rows) return;
  const int64_t first = lists.begin[tile] - lists.begin[0];
  const auto count = static_cast<int32_t>(lists.begin[tile + 1] - lists.begin[tile]);
  int32_t* to = fill.tile_index + first * fill.tile_rows + in_tile;
  for (int32_t i = 0; i < count; ++i, to += fill.tile_rows)
    *to = staged[thread * volume + listed[i]];
}

}  // namespace spb::maps
