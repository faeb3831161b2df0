// SPDX-License-Identifier: Apache-2.0
#include "maps/lists/tile_index.cuh"

#include <algorithm>

#include "maps/pairs/chunk.h"

namespace spb::maps {
namespace {

constexpr int32_t kMostRows = 128;  // positions of a block

/// Item = (tile, offset).
GPU_KERNEL void list_offsets_kernel(ListsToFill lists) {
  gpu::wait_for_earlier_kernels();
  const int64_t item = gpu::global_index();
  const int64_t tile = item / lists.kernel_volume;
  const auto o = static_cast<int32_t>(item - tile * lists.kernel_volume);
  if (tile >= lists.all_tiles) return;
  if (o == 0) write_starts(lists, tile);
  if (is_listed(lists, tile, o))
    lists.valid_kernel[lists.begin[tile] - lists.begin[0] + place_of(lists, tile, o)] = o;
}

GPU_KERNEL void __launch_bounds__(kMostRows) tile_index_kernel(IndexFill fill) {
  gpu::wait_for_earlier_kernels();
  write_index(fill, blockIdx.x);
}

}  // namespace

std::optional<IndexFill> fill_lists(const NeighborMap& map, const gpu::Buffer<uint32_t>& tile_masks,
                                    const int64_t* begin, bool with_index, TileLists& lists,
                                    BuildContext context) {
  auto& [allocator, stream] = context;
  const int64_t all_tiles = lists.tiles * lists.segments;
  lists.valid_kernel_seg = gpu::Buffer<int64_t>(allocator, all_tiles + 1, gpu::Tag::plan);
  lists.valid_kernel = gpu::Buffer<int32_t>(allocator, lists.listed, gpu::Tag::plan);
  if (all_tiles == 0) gpu::fill_bytes(lists.valid_kernel_seg.data(), 0, sizeof(int64_t), stream);
  const ListsToFill to_fill{
      tile_masks.data(),        begin, all_tiles, map.kernel_volume, lists.valid_kernel_seg.data(),
      lists.valid_kernel.data()};
  if (!with_index) {
    gpu::launch_flat_few_early(list_offsets_kernel, all_tiles * map.kernel_volume, stream, to_fill);
    return {};
  }
  lists.tile_index =
      gpu::Buffer<int32_t>(allocator, lists.listed * lists.tile_rows, gpu::Tag::plan);
  const int32_t rows = staged_rows(map.kernel_volume, std::min(lists.tile_rows, kMostRows));
  const auto shared_bytes =
      static_cast<size_t>(rows) * sizeof(int64_t) +
      static_cast<size_t>(rows + 1) * static_cast<size_t>(map.kernel_volume) * sizeof(int32_t);
  return IndexFill{.lists = to_fill,
                   .map = map.rows.data(),
                   .order = lists.order.data(),
                   .n = lists.n_rows,
                   .tiles = lists.tiles,
                   .tile_rows = lists.tile_rows,
                   .parts = (lists.tile_rows + rows - 1) / rows,
                   .tile_index = lists.tile_index.data(),
                   .block_rows = static_cast<unsigned>(rows),
                   .shared_bytes = shared_bytes};
}

void launch_fill(const IndexFill& index, const gpu::Stream& stream) {
  gpu::launch_few_early(tile_index_kernel, dim3(gpu::grid_of(index.blocks())),
                        dim3(index.block_rows), index.shared_bytes, stream, index);
}

}  // namespace spb::maps
