// SPDX-License-Identifier: Apache-2.0
#include "kernels/schedule/lists.h"

#include <bit>

#include "gpu/launch.cuh"
#include "gpu/primitives.h"

namespace spb::plans {
namespace {

/// Item = (segment, tile). The segment is the high digit of the key.
GPU_KERNEL void lengths_kernel(const int64_t* begin, int64_t tiles, int segments, int kernel_volume,
                               uint32_t* keys, int32_t* tile) {
  const int64_t item = gpu::global_index();
  if (item >= tiles * segments) return;
  const int64_t segment = item / tiles;
  const int64_t missing = kernel_volume - (begin[item + 1] - begin[item]);
  keys[item] = static_cast<uint32_t>(segment * (kernel_volume + 1) + missing);
  tile[item] = static_cast<int32_t>(item - segment * tiles);
}

}  // namespace

RowLists row_lists(const maps::TileLists& lists, const gpu::Buffer<int32_t>& tile_order,
                   int segment) {
  RowLists view;
  view.order = lists.order.size() > 0 ? lists.order.data() + segment * lists.n_rows : nullptr;
  view.listed = lists.valid_kernel.data();
  view.listed_begin = lists.valid_kernel_seg.data() + segment * lists.tiles;
  if (lists.tile_index.size() > 0) view.tile_index = lists.tile_index.data();
  if (tile_order.size() > 0) view.tile_order = tile_order.data() + segment * lists.tiles;
  return view;
}

gpu::Buffer<int32_t> longest_first(const maps::TileLists& lists, int kernel_volume,
                                   maps::BuildContext context) {
  auto& [allocator, stream] = context;
  const int64_t items = lists.tiles * lists.segments;
  gpu::Buffer<int32_t> order(allocator, items, gpu::Tag::plan);
  gpu::Buffer<uint32_t> keys(allocator, items, gpu::Tag::workspace);
  gpu::launch_flat(lengths_kernel, items, stream, lists.valid_kernel_seg.data(), lists.tiles,
                   lists.segments, kernel_volume, keys.data(), order.data());
  const auto largest =
      static_cast<uint64_t>(lists.segments) * static_cast<uint64_t>(kernel_volume + 1) - 1;
  gpu::sort_pairs(keys.data(), order.data(), items, static_cast<int>(std::bit_width(largest)),
                  allocator, stream);
  return order;
}

}  // namespace spb::plans
