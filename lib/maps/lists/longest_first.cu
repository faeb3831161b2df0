// SPDX-License-Identifier: Apache-2.0
// Tiles by falling length of their lists: with few tiles per multiprocessor the last ones begun
// decide when a pass ends.
#include <bit>
#include <utility>

#include "gpu/launch.cuh"
#include "gpu/primitives.h"
#include "gpu/warp.cuh"
#include "maps/lists/list_parts.h"

namespace spb::maps {
namespace {

/// Up to so many are put in their places by counting for each how many come before it, in one
/// kernel. That grows with the square: 2048 are four million comparisons, a microsecond or two.
constexpr int32_t kMostRanked = 2048;
constexpr int32_t kRankBlock = 1024;
constexpr int kIndexBits = 11;
static_assert(kMostRanked == 1 << kIndexBits);

/// Items: (segment, tile). The segment is the high digit of the key.
struct Lengths {
  const int64_t* begin;  // [tiles * segments + 1]
  int64_t tiles;
  int32_t segments;
  int32_t kernel_volume;

  __host__ __device__ int64_t items() const { return tiles * segments; }
  uint64_t largest_key() const {
    return static_cast<uint64_t>(segments) * static_cast<uint64_t>(kernel_volume + 1) - 1;
  }
  /// `tile`: of the segment.
  __device__ uint32_t key(int64_t segment, int64_t tile) const {
    const int64_t item = segment * tiles + tile;
    const int64_t missing = kernel_volume - (begin[item + 1] - begin[item]);
    return static_cast<uint32_t>(segment * (kernel_volume + 1) + missing);
  }
};

/// A warp counts for one item which others come before it.
GPU_KERNEL void __launch_bounds__(kRankBlock) rank_kernel(Lengths lengths, int32_t* sorted) {
  gpu::wait_for_earlier_kernels();
  __shared__ uint32_t keys[kMostRanked];  // with the item's number below
  const auto tiles = static_cast<int32_t>(lengths.tiles);
  const int32_t items = tiles * lengths.segments;
  for (auto i = static_cast<int32_t>(threadIdx.x); i < items; i += kRankBlock)
    keys[i] = lengths.key(i / tiles, i % tiles) << kIndexBits | static_cast<uint32_t>(i);
  gpu::sync_threads();
  const int32_t warps = kRankBlock / gpu::warp_size();
  for (int32_t item = static_cast<int32_t>(blockIdx.x) * warps + gpu::warp_index(); item < items;
       item += static_cast<int32_t>(gridDim.x) * warps) {
    const uint32_t own = keys[item];
    int32_t before = 0;
    for (int32_t other = gpu::lane(); other < items; other += gpu::warp_size())
      before += keys[other] < own;
    before = gpu::reduce_warp(before, [](int32_t a, int32_t b) { return a + b; });
    if (gpu::lane() == 0) sorted[before] = item % tiles;
  }
}

GPU_KERNEL void lengths_kernel(Lengths lengths, uint32_t* keys, int32_t* tiles) {
  gpu::wait_for_earlier_kernels();
  const int64_t item = gpu::global_index();
  if (item >= lengths.items()) return;
  const int64_t segment = item / lengths.tiles, tile = item - segment * lengths.tiles;
  keys[item] = lengths.key(segment, tile);
  tiles[item] = static_cast<int32_t>(tile);
}

gpu::Buffer<int32_t> radix_sorted(const Lengths& lengths, BuildContext context) {
  auto& [allocator, stream] = context;
  const int64_t items = lengths.items();
  gpu::Buffer<int32_t> tiles(allocator, items, gpu::Tag::plan);
  gpu::Buffer<int32_t> other_tiles(allocator, items, gpu::Tag::plan);
  gpu::Buffer<uint32_t> keys(allocator, items, gpu::Tag::workspace);
  gpu::Buffer<uint32_t> other_keys(allocator, items, gpu::Tag::workspace);
  gpu::launch_flat_few_early(lengths_kernel, items, stream, lengths, keys.data(), tiles.data());
  const int last =
      gpu::sort_pairs({keys.data(), other_keys.data()}, {tiles.data(), other_tiles.data()}, items,
                      static_cast<int>(std::bit_width(lengths.largest_key())), allocator, stream);
  return last ? std::move(other_tiles) : std::move(tiles);
}

}  // namespace

gpu::Buffer<int32_t> sort_by_length(const TileLists& lists, const int64_t* begin, int kernel_volume,
                                    BuildContext context) {
  const Lengths lengths{begin, lists.tiles, lists.segments, kernel_volume};
  if (lengths.items() > kMostRanked || lengths.largest_key() >> (32 - kIndexBits) != 0)
    return radix_sorted(lengths, context);
  gpu::Buffer<int32_t> sorted(context.allocator, lengths.items(), gpu::Tag::plan);
  constexpr int64_t kItemsPerBlock = kRankBlock / 32;  // wider warps take several each
  const auto grid = gpu::grid_of((lengths.items() + kItemsPerBlock - 1) / kItemsPerBlock);
  gpu::launch_few_early(rank_kernel, dim3(grid), dim3(kRankBlock), 0, context.stream, lengths,
                        sorted.data());
  return sorted;
}

}  // namespace spb::maps
