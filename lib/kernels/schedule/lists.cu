// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "gpu/launch.cuh"
#include "gpu/primitives.h"
#include "kernels/schedule/lists.h"

namespace spb::plans {
namespace {

constexpr int kThreads = 512, kMostCounted = 8192;

/// By which items, (segment, tile), are sorted: the segment is the high digit.
struct LengthKeys {
  const int64_t* begin;
  int64_t tiles;
  int segments, kernel_volume;

  int64_t items() const { return tiles * segments; }
  int64_t bins() const { return int64_t{segments} * (kernel_volume + 1); }
  __device__ int64_t operator[](int64_t item) const {
    const int64_t missing = kernel_volume - (begin[item + 1] - begin[item]);
    return item / tiles * (kernel_volume + 1) + missing;
  }
  __device__ int32_t tile_of(int64_t item) const { return static_cast<int32_t>(item % tiles); }
};

GPU_KERNEL void lengths_kernel(LengthKeys of, int64_t items, uint32_t* keys, int32_t* tile) {
  const int64_t item = gpu::global_index();
  if (item >= items) return;
  keys[item] = static_cast<uint32_t>(of[item]);
  tile[item] = of.tile_of(item);
}

/// A counting sort by one block: thread (key, chunk) counts its key in its chunk of the items, and
/// then knows where to put them. Stable, as keys and chunks are counted in order.
GPU_KERNEL void __launch_bounds__(kThreads)
    count_lengths_kernel(LengthKeys of, int items, int bins, int32_t* tile) {
  __shared__ uint16_t keys[kMostCounted];
  __shared__ int32_t ends[kThreads];
  const auto thread = static_cast<int>(threadIdx.x);
  for (int item = thread; item < items; item += kThreads)
    keys[item] = static_cast<uint16_t>(of[item]);
  gpu::sync_threads();
  const int chunks = kThreads / bins, length = (items + chunks - 1) / chunks;
  const int key = thread / chunks, first = thread % chunks * length;
  const int last = key < bins && first + length < items ? first + length : items;
  int32_t count = 0;
  if (key < bins)
    for (int item = first; item < last; ++item) count += keys[item] == key;
  ends[thread] = count;
  gpu::sync_threads();
  for (int distance = 1; distance < kThreads; distance *= 2) {
    const int32_t before = thread >= distance ? ends[thread - distance] : 0;
    gpu::sync_threads();
    ends[thread] += before;
    gpu::sync_threads();
  }
  int32_t at = ends[thread] - count;
  if (key < bins)
    for (int item = first; item < last; ++item)
      if (keys[item] == key) tile[at++] = of.tile_of(item);
}

/// Whether one block is faster than a sort of several launches. At most 1024 keys a thread.
bool can_count(const LengthKeys& of) {
  return of.items() <= kMostCounted && of.bins() <= kThreads &&
         of.items() * of.bins() <= int64_t{1024} * kThreads;
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
  const LengthKeys of{lists.valid_kernel_seg.data(), lists.tiles, lists.segments, kernel_volume};
  if (items == 0) return order;
  if (can_count(of)) {
    gpu::launch(count_lengths_kernel, dim3(1), dim3(kThreads), 0, stream, of,
                static_cast<int>(items), static_cast<int>(of.bins()), order.data());
    return order;
  }
  gpu::Buffer<uint32_t> keys(allocator, items, gpu::Tag::workspace);
  gpu::launch_flat(lengths_kernel, items, stream, of, items, keys.data(), order.data());
  gpu::sort_pairs(keys.data(), order.data(), items,
                  static_cast<int>(std::bit_width(static_cast<uint64_t>(of.bins() - 1))), allocator,
                  stream);
  return order;
}

}  // namespace spb::plans
