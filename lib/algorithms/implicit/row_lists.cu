#include <bit>

#include "algorithms/implicit/row_lists.h"
#include "gpu/launch.cuh"
#include "gpu/primitives.h"

namespace spb::plans {
namespace {

GPU_KERNEL void lengths_kernel(const int64_t* begin, int64_t tiles, int kernel_volume,
                               uint32_t* missing, int32_t* tile) {
  const int64_t t = gpu::global_index();
  if (t >= tiles) return;
  missing[t] = static_cast<uint32_t>(kernel_volume - (begin[t + 1] - begin[t]));
  tile[t] = static_cast<int32_t>(t);
}

/// The bits below `count` of a word; all of them from 32 on.
__device__ uint32_t low_bits(int count) {
  return count <= 0 ? 0u : count >= 32 ? ~0u : (1u << count) - 1;
}

GPU_KERNEL void segment_kernel(const uint32_t* words, int64_t count, int words_per_row, int first,
                               int end, uint32_t* out) {
  const int64_t i = gpu::global_index();
  if (i >= count) return;
  const int bit = static_cast<int>(i % words_per_row) * 32;
  out[i] = words[i] & low_bits(end - bit) & ~low_bits(first - bit);
}

}  // namespace

RowLists OwnedRowLists::view() const {
  RowLists view;
  view.order = lists.order.data();
  view.listed = lists.valid_kernel.data();
  view.listed_begin = lists.valid_kernel_seg.data();
  if (lists.tile_index.size() > 0) view.tile_index = lists.tile_index.data();
  if (tile_order.size() > 0) view.tile_order = tile_order.data();
  return view;
}

maps::RowMasks segment_masks(const maps::RowMasks& masks, int first, int end,
                             maps::BuildContext context) {
  maps::RowMasks segment;
  segment.words = gpu::Buffer<uint32_t>(context.allocator, masks.words.size(), gpu::Tag::workspace);
  segment.n_rows = masks.n_rows;
  segment.words_per_row = masks.words_per_row;
  segment.kernel_volume = masks.kernel_volume;
  const int common = masks.common_offset;
  segment.common_offset = common >= first && common < end ? common : -1;
  gpu::launch_flat(segment_kernel, masks.words.size(), context.stream, masks.words.data(),
                   masks.words.size(), masks.words_per_row, first, end, segment.words.data());
  return segment;
}

gpu::Buffer<int32_t> longest_first(const maps::TileLists& lists, int kernel_volume,
                                   maps::BuildContext context) {
  auto& [allocator, stream] = context;
  gpu::Buffer<int32_t> order(allocator, lists.tiles, gpu::Tag::plan);
  gpu::Buffer<uint32_t> missing(allocator, lists.tiles, gpu::Tag::workspace);
  gpu::launch_flat(lengths_kernel, lists.tiles, stream, lists.valid_kernel_seg.data(), lists.tiles,
                   kernel_volume, missing.data(), order.data());
  gpu::sort_pairs(missing.data(), order.data(), lists.tiles,
                  std::bit_width(static_cast<unsigned>(kernel_volume)), allocator, stream);
  return order;
}

}  // namespace spb::plans
