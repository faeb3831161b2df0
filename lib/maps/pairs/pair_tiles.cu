// SPDX-License-Identifier: Apache-2.0
#include "maps/pairs/pair_tiles.h"

#include <limits>
#include <string>

#include "core/error.h"
#include "gpu/launch.cuh"

namespace spb::maps {
namespace {

/// Pairs and where they go.
struct PairScatter {
  const int32_t *written, *gathered;  // [pairs]
  const int64_t* pair_begin;          // [kernel_volume + 1]
  const int64_t* tile_begin;          // [kernel_volume + 1]
  int32_t kernel_volume;
  int32_t tile_rows;
  int64_t positions;
};

/// The offset whose tiles `tile` is among: the last one that begins there or before, as those
/// without pairs have no tiles.
__device__ int32_t offset_of(const int64_t* tile_begin, int32_t kernel_volume, int64_t tile) {
  int32_t low = 0, high = kernel_volume;
  while (high - low > 1) {
    const int32_t middle = (low + high) / 2;
    if (tile_begin[middle] <= tile)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/// Item = position; one more ends the starts of tiles.
GPU_KERNEL void pair_tiles_kernel(PairScatter scatter, int32_t* order, int32_t* tile_index,
                                  int32_t* offsets, int64_t* starts) {
  const int64_t position = gpu::global_index();
  const int64_t tile = position / scatter.tile_rows;
  if (position > scatter.positions) return;
  if (position == tile * scatter.tile_rows) starts[tile] = tile;
  if (position == scatter.positions) return;
  const int32_t o = offset_of(scatter.tile_begin, scatter.kernel_volume, tile);
  if (position == tile * scatter.tile_rows) offsets[tile] = o;
  const int64_t pair = scatter.pair_begin[o] + position - scatter.tile_begin[o] * scatter.tile_rows;
  const bool some = pair < scatter.pair_begin[o + 1];
  order[position] = some ? scatter.written[pair] : -1;
  tile_index[position] = some ? scatter.gathered[pair] : -1;
}

/// Item = position.
GPU_KERNEL void position_table_kernel(const int32_t* order, const int32_t* offsets,
                                      int64_t positions, int32_t tile_rows, int32_t kernel_volume,
                                      int32_t* table) {
  const int64_t position = gpu::global_index();
  if (position >= positions) return;
  const int64_t row = order[position];
  if (row >= 0)
    table[row * kernel_volume + offsets[position / tile_rows]] = static_cast<int32_t>(position);
}

}  // namespace

PairTiles build_pair_tiles(const KernelMap& pairs, bool writes_fine, int tile_rows,
                           BuildContext context) {
  auto& [allocator, stream] = context;
  const std::vector<int64_t>& begin = pairs.offset_begin_host;
  PairTiles tiles;
  tiles.tile_begin = {0};
  for (size_t o = 0; o + 1 < begin.size(); ++o)
    tiles.tile_begin.push_back(tiles.tile_begin.back() +
                               (begin[o + 1] - begin[o] + tile_rows - 1) / tile_rows);
  TileLists& lists = tiles.lists;
  lists.tile_rows = tile_rows;
  lists.tiles = lists.listed = tiles.tile_begin.back();
  lists.n_rows = lists.tiles * tile_rows;
  if (lists.n_rows > std::numeric_limits<int32_t>::max())
    throw Error(ExitCode::runtime, "tiles of pairs have " + std::to_string(lists.n_rows) +
                                       " positions, more than 2^31 - 1; use fewer voxels or a "
                                       "smaller kernel");
  lists.order = gpu::Buffer<int32_t>(allocator, lists.n_rows, gpu::Tag::plan);
  lists.tile_index = gpu::Buffer<int32_t>(allocator, lists.n_rows, gpu::Tag::plan);
  lists.valid_kernel = gpu::Buffer<int32_t>(allocator, lists.tiles, gpu::Tag::plan);
  lists.valid_kernel_seg = gpu::Buffer<int64_t>(allocator, lists.tiles + 1, gpu::Tag::plan);
  gpu::Buffer<int64_t> tile_begin(allocator, static_cast<int64_t>(tiles.tile_begin.size()),
                                  gpu::Tag::workspace);
  tile_begin.send(tiles.tile_begin, stream);
  const int32_t *fine = pairs.fine_index.data(), *coarse = pairs.coarse_index.data();
  const PairScatter scatter{writes_fine ? fine : coarse,
                            writes_fine ? coarse : fine,
                            pairs.offset_begin.data(),
                            tile_begin.data(),
                            static_cast<int32_t>(begin.size()) - 1,
                            tile_rows,
                            lists.n_rows};
  gpu::launch_flat(pair_tiles_kernel, lists.n_rows + 1, stream, scatter, lists.order.data(),
                   lists.tile_index.data(), lists.valid_kernel.data(),
                   lists.valid_kernel_seg.data());
  return tiles;
}

gpu::Buffer<int32_t> position_table(const PairTiles& tiles, int64_t rows, BuildContext context) {
  auto& [allocator, stream] = context;
  const TileLists& lists = tiles.lists;
  const auto kernel_volume = static_cast<int32_t>(tiles.tile_begin.size()) - 1;
  gpu::Buffer<int32_t> table(allocator, rows * kernel_volume, gpu::Tag::plan);
  gpu::fill_bytes(table.data(), 0xFF, table.bytes(), stream);
  gpu::launch_flat(position_table_kernel, lists.n_rows, stream, lists.order.data(),
                   lists.valid_kernel.data(), lists.n_rows, lists.tile_rows, kernel_volume,
                   table.data());
  return table;
}

}  // namespace spb::maps
