// SPDX-License-Identifier: Apache-2.0
// The offsets of every tile, and its input rows in tile order, so that a kernel reads them in
// sequence.
#include <algorithm>

#include "gpu/launch.cuh"
#include "maps/lists/list_parts.h"
#include "maps/pairs/chunk.h"
#include "maps/pairs/unrolled.cuh"

namespace spb::maps {
namespace {

constexpr int32_t kMostRows = 128;  // positions of a block

/// Lists that are written from the masks of their tiles.
struct DeviceLists {
  const uint32_t* tile_masks;  // [all tiles, words]
  const int64_t* begin;        // [all tiles + 1] starts, plus begin[0]
  int64_t all_tiles;
  int32_t kernel_volume;
  int64_t* seg;           // [all tiles + 1]
  int32_t* valid_kernel;  // [listed]

  __device__ bool lists(int64_t tile, int32_t o) const { return mask(tile)[o / 32] >> o % 32 & 1; }
  /// Of an offset that the tile lists.
  __device__ int32_t place(int64_t tile, int32_t o) const {
    const uint32_t* words = mask(tile);
    int32_t place = gpu::popcount(words[o / 32] & ((uint32_t{1} << o % 32) - 1));
    for (int32_t word = 0; word < o / 32; ++word) place += gpu::popcount(words[word]);
    return place;
  }
  __device__ void write_starts(int64_t tile) const {
    seg[tile] = begin[tile] - begin[0];
    if (tile == all_tiles - 1) seg[all_tiles] = begin[all_tiles] - begin[0];
  }

 private:
  __device__ const uint32_t* mask(int64_t tile) const {
    return tile_masks + tile * ((kernel_volume + 31) / 32);
  }
};

/// Item = (tile, offset).
GPU_KERNEL void list_offsets_kernel(DeviceLists lists) {
  gpu::wait_for_earlier_kernels();
  const int64_t item = gpu::global_index();
  const int64_t tile = item / lists.kernel_volume;
  const auto o = static_cast<int32_t>(item - tile * lists.kernel_volume);
  if (tile >= lists.all_tiles) return;
  if (o == 0) lists.write_starts(tile);
  if (lists.lists(tile, o))
    lists.valid_kernel[lists.begin[tile] - lists.begin[0] + lists.place(tile, o)] = o;
}

/// Which positions of an order a block takes: tiles too high for it are cut in `parts`.
struct TileParts {
  const int32_t* order;  // [segments, n]; null: none
  int64_t n;
  int64_t tiles;  // of a segment
  int32_t tile_rows;
  int32_t parts;
};

/// A block stages the map's rows of its threads' positions, then writes them offset by offset.
GPU_KERNEL void __launch_bounds__(kMostRows)
    tile_index_kernel(const int32_t* map, TileParts cut, DeviceLists lists, int32_t* tile_index) {
  gpu::wait_for_earlier_kernels();
  const int32_t volume = lists.kernel_volume;
  const auto thread = static_cast<int32_t>(threadIdx.x), threads = static_cast<int32_t>(blockDim.x);
  auto* sources = gpu::dynamic_shared<int64_t>();  // [threads] entry of the map, or -1
  auto* staged = reinterpret_cast<int32_t*>(sources + threads);  // [threads, volume]
  int32_t* listed = staged + threads * volume;                   // [volume]
  const int64_t tile = blockIdx.x / static_cast<unsigned>(cut.parts);
  const auto part = static_cast<int32_t>(blockIdx.x % static_cast<unsigned>(cut.parts));
  const int64_t segment = tile / cut.tiles, first_tile = segment * cut.tiles;
  const int32_t in_tile = part * threads + thread;
  const int64_t position = (tile - first_tile) * cut.tile_rows + in_tile;
  int64_t source = -1;
  if (position < cut.n)
    source = (cut.order ? int64_t{cut.order[segment * cut.n + position]} : position) * volume;
  sources[thread] = source;
  for (int32_t o = thread; o < volume; o += threads) {
    if (!lists.lists(tile, o)) continue;
    const int32_t place = lists.place(tile, o);
    listed[place] = o;
    if (part == 0) lists.valid_kernel[lists.begin[tile] - lists.begin[0] + place] = o;
  }
  if (part == 0 && thread == 0) lists.write_starts(tile);
  gpu::sync_threads();
  // Neighboring threads read neighboring entries of a row. A product instead of a division: exact
  // for i * volume below 2^32, and more than that no block can stage.
  const uint64_t reciprocal = ~uint32_t{0} / static_cast<uint32_t>(volume) + uint64_t{1};
  copy_together(
      thread, threads * volume, threads,
      [&](int32_t i) {
        const auto row = static_cast<int32_t>(static_cast<uint32_t>(i) * reciprocal >> 32);
        return sources[row] < 0 ? -1 : map[sources[row] + (i - row * volume)];
      },
      [&](int32_t i, int32_t value) { staged[i] = value; });
  gpu::sync_threads();
  if (in_tile >= cut.tile_rows) return;
  const int64_t first = lists.begin[tile] - lists.begin[0];
  const auto count = static_cast<int32_t>(lists.begin[tile + 1] - lists.begin[tile]);
  int32_t* to = tile_index + first * cut.tile_rows + in_tile;
  for (int32_t i = 0; i < count; ++i, to += cut.tile_rows)
    *to = staged[thread * volume + listed[i]];
}

}  // namespace

void fill_lists(const NeighborMap& map, const gpu::Buffer<uint32_t>& tile_masks,
                const int64_t* begin, bool with_index, TileLists& lists, BuildContext context) {
  auto& [allocator, stream] = context;
  const int64_t all_tiles = lists.tiles * lists.segments;
  lists.valid_kernel_seg = gpu::Buffer<int64_t>(allocator, all_tiles + 1, gpu::Tag::plan);
  lists.valid_kernel = gpu::Buffer<int32_t>(allocator, lists.listed, gpu::Tag::plan);
  if (all_tiles == 0) gpu::fill_bytes(lists.valid_kernel_seg.data(), 0, sizeof(int64_t), stream);
  const DeviceLists device_lists{
      tile_masks.data(),        begin, all_tiles, map.kernel_volume, lists.valid_kernel_seg.data(),
      lists.valid_kernel.data()};
  if (!with_index) {
    gpu::launch_flat_few_early(list_offsets_kernel, all_tiles * map.kernel_volume, stream,
                               device_lists);
    return;
  }
  lists.tile_index =
      gpu::Buffer<int32_t>(allocator, lists.listed * lists.tile_rows, gpu::Tag::plan);
  const int32_t rows = staged_rows(map.kernel_volume, std::min(lists.tile_rows, kMostRows));
  const int32_t parts = (lists.tile_rows + rows - 1) / rows;
  const size_t shared =
      static_cast<size_t>(rows) * sizeof(int64_t) +
      static_cast<size_t>(rows + 1) * static_cast<size_t>(map.kernel_volume) * sizeof(int32_t);
  gpu::launch_few_early(
      tile_index_kernel, dim3(gpu::grid_of(all_tiles * parts)), dim3(static_cast<unsigned>(rows)),
      shared, stream, map.rows.data(),
      TileParts{lists.order.data(), lists.n_rows, lists.tiles, lists.tile_rows, parts},
      device_lists, lists.tile_index.data());
}

}  // namespace spb::maps
