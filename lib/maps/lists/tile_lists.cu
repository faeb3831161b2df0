// SPDX-License-Identifier: Apache-2.0
// Tiles of an order with the offsets that any of their rows has.
#include "gpu/launch.cuh"
#include "gpu/primitives.h"
#include "maps/lists/list_parts.h"
#include "maps/orders/gray.h"
#include "maps/pairs/chunk.h"

namespace spb::maps {
namespace {

constexpr unsigned kBlock = 128;
constexpr int64_t kTilesPerBlock = 4;  // those of a warp of 32; wider warps take fewer blocks' work

struct Tiling {
  int64_t n;  // rows
  int32_t tile_rows;
  int64_t tiles;  // of a segment
  int32_t segments;
  int32_t kernel_volume;
};

/// A warp combines the masks of one tile. Closes the counts with a zero.
GPU_KERNEL void __launch_bounds__(kBlock)
    tile_masks_kernel(const uint32_t* masks, const int32_t* order, Tiling tiling,
                      uint32_t* tile_masks, int64_t* counts) {
  gpu::wait_for_earlier_kernels();
  const int64_t warps_per_block = blockDim.x / static_cast<unsigned>(gpu::warp_size());
  const int64_t all_tiles = tiling.tiles * tiling.segments;
  const int32_t words = (tiling.kernel_volume + 31) / 32;
  if (blockIdx.x == 0 && threadIdx.x == 0) counts[all_tiles] = 0;
  for (int64_t tile = blockIdx.x * warps_per_block + gpu::warp_index(); tile < all_tiles;
       tile += gridDim.x * warps_per_block) {
    const auto segment = static_cast<int32_t>(tile / tiling.tiles);
    const int32_t first_offset = segment_begin(segment, tiling.segments, tiling.kernel_volume);
    const int32_t end_offset = segment_begin(segment + 1, tiling.segments, tiling.kernel_volume);
    const int64_t begin = (tile - segment * tiling.tiles) * tiling.tile_rows;
    const int64_t end = begin + tiling.tile_rows < tiling.n ? begin + tiling.tile_rows : tiling.n;
    const int32_t* rows = order ? order + segment * tiling.n : nullptr;
    int64_t count = 0;
    for (int32_t word = 0; word < words; ++word) {
      uint32_t mask = 0;
      for (int64_t position = begin + gpu::lane(); position < end; position += gpu::warp_size())
        mask |= masks[(rows ? int64_t{rows[position]} : position) * words + word];
      mask = gpu::reduce_warp(mask, [](uint32_t a, uint32_t b) { return a | b; });
      mask &= low_bits(end_offset - 32 * word) & ~low_bits(first_offset - 32 * word);
      if (gpu::lane() == 0) tile_masks[tile * words + word] = mask;
      count += gpu::popcount(mask);
    }
    if (gpu::lane() == 0) counts[tile] = count;
  }
}

}  // namespace

TileLists empty_lists(const RowMasks& masks, gpu::Buffer<int32_t> order, int tile_rows,
                      int segments) {
  TileLists lists;
  lists.order = std::move(order);
  lists.tile_rows = tile_rows;
  lists.segments = segments;
  lists.n_rows = masks.n_rows;
  lists.tiles = tiles_of(masks.n_rows, tile_rows);
  return lists;
}

gpu::Buffer<uint32_t> count_listed(const RowMasks& masks, const TileLists& lists, int64_t* counts,
                                   BuildContext context) {
  const int64_t all_tiles = lists.tiles * lists.segments;
  gpu::Buffer<uint32_t> tile_masks(context.allocator, all_tiles * masks.words_per_row,
                                   gpu::Tag::workspace);
  const auto grid = gpu::grid_of(all_tiles / kTilesPerBlock + 1);
  const Tiling tiling{lists.n_rows, lists.tile_rows, lists.tiles, lists.segments,
                      masks.kernel_volume};
  gpu::launch_few_early(tile_masks_kernel, dim3(grid), dim3(kBlock), 0, context.stream,
                        masks.words.data(), lists.order.data(), tiling, tile_masks.data(), counts);
  return tile_masks;
}

}  // namespace spb::maps
