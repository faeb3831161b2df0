// Tiles of an order with the offsets that any of their rows has.
#include <string>

#include "core/error.h"
#include "gpu/launch.cuh"
#include "gpu/primitives.h"
#include "maps/list_parts.h"

namespace spb::maps {
namespace {

constexpr unsigned kBlock = 128;
constexpr int64_t kTilesPerBlock = 4;  // those of a warp of 32; wider warps take fewer blocks' work

/// A warp combines the masks of one tile. Closes the counts with a zero.
GPU_KERNEL void __launch_bounds__(kBlock)
    tile_masks_kernel(const uint32_t* masks, const int32_t* order, int64_t n, int32_t words,
                      int32_t tile_rows, int64_t tiles, uint32_t* tile_masks, int64_t* counts) {
  const int64_t warps = int64_t{gridDim.x} * (blockDim.x / static_cast<unsigned>(gpu::warp_size()));
  const int64_t first =
      int64_t{blockIdx.x} * (blockDim.x / static_cast<unsigned>(gpu::warp_size())) +
      gpu::warp_index();
  if (blockIdx.x == 0 && threadIdx.x == 0) counts[tiles] = 0;
  for (int64_t tile = first; tile < tiles; tile += warps) {
    const int64_t begin = tile * tile_rows;
    const int64_t end = begin + tile_rows < n ? begin + tile_rows : n;
    int64_t count = 0;
    for (int32_t word = 0; word < words; ++word) {
      uint32_t mask = 0;
      for (int64_t position = begin + gpu::lane(); position < end; position += gpu::warp_size())
        mask |= masks[(order ? int64_t{order[position]} : position) * words + word];
      mask = gpu::reduce_warp(mask, [](uint32_t a, uint32_t b) { return a | b; });
      if (gpu::lane() == 0) tile_masks[tile * words + word] = mask;
      count += gpu::popcount(mask);
    }
    if (gpu::lane() == 0) counts[tile] = count;
  }
}

/// Item = (tile, offset), and one more for the end.
GPU_KERNEL void list_offsets_kernel(const uint32_t* tile_masks, int64_t tiles, int32_t words,
                                    int32_t kernel_volume, const int64_t* begin, int64_t* seg,
                                    int32_t* valid_kernel) {
  const int64_t item = gpu::global_index();
  const int64_t tile = item / kernel_volume;
  const auto o = static_cast<int32_t>(item - tile * kernel_volume);
  if (tile > tiles || (tile == tiles && o > 0)) return;
  int64_t place = begin[tile] - begin[0];
  if (o == 0) seg[tile] = place;
  if (tile == tiles) return;
  const uint32_t* masks = tile_masks + tile * words;
  if (!(masks[o / 32] >> o % 32 & 1)) return;
  for (int32_t word = 0; word < o / 32; ++word) place += gpu::popcount(masks[word]);
  valid_kernel[place + gpu::popcount(masks[o / 32] & ((uint32_t{1} << o % 32) - 1))] = o;
}

}  // namespace

TileLists empty_lists(const RowMasks& masks, gpu::Buffer<int32_t> order, int tile_rows) {
  if (tile_rows < 1)
    throw usage_error("tile height", std::to_string(tile_rows) + " rows", "use 1 or more");
  TileLists lists;
  lists.order = std::move(order);
  lists.tile_rows = tile_rows;
  lists.n_rows = masks.n_rows;
  lists.tiles = (masks.n_rows + tile_rows - 1) / tile_rows;
  return lists;
}

gpu::Buffer<uint32_t> count_listed(const RowMasks& masks, const TileLists& lists, int64_t* counts,
                                   BuildContext context) {
  gpu::Buffer<uint32_t> tile_masks(context.allocator, lists.tiles * masks.words_per_row,
                                   gpu::Tag::workspace);
  const auto grid = static_cast<unsigned>(lists.tiles / kTilesPerBlock + 1);
  gpu::launch(tile_masks_kernel, dim3(grid), dim3(kBlock), 0, context.stream, masks.words.data(),
              lists.order.data(), lists.n_rows, masks.words_per_row, lists.tile_rows, lists.tiles,
              tile_masks.data(), counts);
  return tile_masks;
}

TileLists build_tile_lists(const RowMasks& masks, gpu::Buffer<int32_t> order, int tile_rows,
                           BuildContext context) {
  auto& [allocator, stream] = context;
  TileLists lists = empty_lists(masks, std::move(order), tile_rows);
  gpu::Buffer<int64_t> begin(allocator, lists.tiles + 1, gpu::Tag::workspace);
  const gpu::Buffer<uint32_t> tile_masks = count_listed(masks, lists, begin.data(), context);
  gpu::exclusive_scan(begin.data(), begin.data(), begin.size(), allocator, stream);
  gpu::copy_to_host(&lists.listed, begin.data() + lists.tiles, sizeof(int64_t), stream);
  lists.valid_kernel_seg = gpu::Buffer<int64_t>(allocator, lists.tiles + 1, gpu::Tag::plan);
  lists.valid_kernel = gpu::Buffer<int32_t>(allocator, lists.listed, gpu::Tag::plan);
  gpu::launch_flat(list_offsets_kernel, lists.tiles * masks.kernel_volume + 1, stream,
                   tile_masks.data(), lists.tiles, masks.words_per_row, masks.kernel_volume,
                   begin.data(), lists.valid_kernel_seg.data(), lists.valid_kernel.data());
  return lists;
}

}  // namespace spb::maps
