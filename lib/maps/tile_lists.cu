// Tiles of an order with the offsets that any of their rows has.
#include <string>

#include "core/error.h"
#include "gpu/atomic.cuh"
#include "gpu/launch.cuh"
#include "gpu/primitives.h"
#include "maps/maps.h"

namespace spb::maps {
namespace {

/// Item = (position in the order, word). OR commutes, so the result does not vary.
GPU_KERNEL void tile_masks_kernel(const uint32_t* masks, const int32_t* order, int64_t items,
                                  int32_t words, int32_t tile_rows, uint32_t* tile_masks) {
  const int64_t item = gpu::global_index();
  if (item >= items) return;
  const int64_t position = item / words, word = item % words;
  const int64_t row = order ? order[position] : position;
  const uint32_t mask = masks[row * words + word];
  if (mask != 0) gpu::atomic_or(&tile_masks[position / tile_rows * words + word], mask);
}

/// Bits set in each tile's mask, plus one closing zero for the scan.
GPU_KERNEL void count_listed_kernel(const uint32_t* tile_masks, int64_t tiles, int32_t words,
                                    int64_t* listed) {
  const int64_t tile = gpu::global_index();
  if (tile > tiles) return;
  int64_t count = 0;
  for (int32_t word = 0; word < words && tile < tiles; ++word)
    count += gpu::popcount(tile_masks[tile * words + word]);
  listed[tile] = count;
}

GPU_KERNEL void list_offsets_kernel(const uint32_t* tile_masks, int64_t tiles, int32_t words,
                                    const int64_t* seg, int32_t* valid_kernel) {
  const int64_t tile = gpu::global_index();
  if (tile >= tiles) return;
  int64_t next = seg[tile];
  for (int32_t word = 0; word < words; ++word) {
    const uint32_t mask = tile_masks[tile * words + word];
    for (int32_t bit = 0; bit < 32; ++bit)
      if (mask >> bit & 1) valid_kernel[next++] = word * 32 + bit;
  }
}

}  // namespace

TileLists build_tile_lists(const RowMasks& masks, gpu::Buffer<int32_t> order, int tile_rows,
                           BuildContext context) {
  auto& [allocator, stream] = context;
  if (tile_rows < 1)
    throw usage_error("tile height", std::to_string(tile_rows) + " rows", "use 1 or more");
  TileLists lists;
  lists.order = std::move(order);
  lists.tile_rows = tile_rows;
  lists.n_rows = masks.n_rows;
  lists.tiles = (masks.n_rows + tile_rows - 1) / tile_rows;

  const int32_t words = masks.words_per_row;
  const int64_t items = masks.n_rows * words;
  gpu::Buffer<uint32_t> tile_masks(allocator, lists.tiles * words, gpu::Tag::workspace);
  if (lists.tiles > 0) gpu::fill_bytes(tile_masks.data(), 0, tile_masks.bytes(), stream);
  gpu::launch_flat(tile_masks_kernel, items, stream, masks.words.data(), lists.order.data(), items,
                   words, tile_rows, tile_masks.data());

  lists.valid_kernel_seg = gpu::Buffer<int64_t>(allocator, lists.tiles + 1, gpu::Tag::plan);
  int64_t* seg = lists.valid_kernel_seg.data();
  gpu::launch_flat(count_listed_kernel, lists.tiles + 1, stream, tile_masks.data(), lists.tiles,
                   words, seg);
  gpu::exclusive_scan(seg, seg, lists.tiles + 1, allocator, stream);
  gpu::copy_to_host(&lists.listed, seg + lists.tiles, sizeof(int64_t), stream);

  lists.valid_kernel = gpu::Buffer<int32_t>(allocator, lists.listed, gpu::Tag::plan);
  gpu::launch_flat(list_offsets_kernel, lists.tiles, stream, tile_masks.data(), lists.tiles, words,
                   seg, lists.valid_kernel.data());
  stream.synchronize();  // the masks are freed on return
  return lists;
}

}  // namespace spb::maps
