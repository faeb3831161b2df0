// SPDX-License-Identifier: Apache-2.0
// Tiles by falling length of their lists: with few tiles per multiprocessor the last ones begun
// decide when a pass ends.
#include <bit>
#include <utility>

#include "gpu/launch.cuh"
#include "gpu/primitives.h"
#include "maps/lists/list_parts.h"

namespace spb::maps {
namespace {

/// Item = (segment, tile). The segment is the high digit of the key.
GPU_KERNEL void lengths_kernel(const int64_t* begin, int64_t tiles, int segments, int kernel_volume,
                               uint32_t* keys, int32_t* tile) {
  gpu::wait_for_earlier_kernels();
  const int64_t item = gpu::global_index();
  if (item >= tiles * segments) return;
  const int64_t segment = item / tiles;
  const int64_t missing = kernel_volume - (begin[item + 1] - begin[item]);
  keys[item] = static_cast<uint32_t>(segment * (kernel_volume + 1) + missing);
  tile[item] = static_cast<int32_t>(item - segment * tiles);
}

}  // namespace

gpu::Buffer<int32_t> sort_by_length(const TileLists& lists, const int64_t* begin, int kernel_volume,
                                    BuildContext context) {
  auto& [allocator, stream] = context;
  const int64_t items = lists.tiles * lists.segments;
  gpu::Buffer<int32_t> tiles(allocator, items, gpu::Tag::plan);
  gpu::Buffer<int32_t> other_tiles(allocator, items, gpu::Tag::plan);
  gpu::Buffer<uint32_t> keys(allocator, items, gpu::Tag::workspace);
  gpu::Buffer<uint32_t> other_keys(allocator, items, gpu::Tag::workspace);
  gpu::launch_flat_few_early(lengths_kernel, items, stream, begin, lists.tiles, lists.segments,
                             kernel_volume, keys.data(), tiles.data());
  const auto largest =
      static_cast<uint64_t>(lists.segments) * static_cast<uint64_t>(kernel_volume + 1) - 1;
  const int last =
      gpu::sort_pairs({keys.data(), other_keys.data()}, {tiles.data(), other_tiles.data()}, items,
                      static_cast<int>(std::bit_width(largest)), allocator, stream);
  return last ? std::move(other_tiles) : std::move(tiles);
}

}  // namespace spb::maps
