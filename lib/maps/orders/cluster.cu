// SPDX-License-Identifier: Apache-2.0
// Groups are found by a scan over all rows; then a block clusters each window.
#include "maps/orders/cluster.h"

#include "gpu/launch.cuh"
#include "gpu/primitives.h"
#include "maps/orders/gray.h"

namespace spb::maps {
namespace {

constexpr int kClusterThreads = 512;
constexpr int kOwnGroups = kMostClusterGroups / kClusterThreads;  // of a thread
constexpr uint32_t kGroupBits = 10;  // that tell groups of a block apart
static_assert(1 << kGroupBits == kMostClusterGroups);

/// Rows in an order by masks. An item is a place in it: of one segment after the other.
struct SortedRows {
  const uint32_t* masks;
  const int32_t* order;
  int64_t n;
  int32_t segments, kernel_volume, words;

  __host__ __device__ int64_t items() const { return n * segments; }
  /// Of the offsets of the segment that the item belongs to.
  __device__ uint32_t mask(int32_t segment, int64_t item, int32_t word) const {
    const int32_t first = segment_begin(segment, segments, kernel_volume);
    const int32_t end = segment_begin(segment + 1, segments, kernel_volume);
    return masks[int64_t{order[item]} * words + word] & low_bits(end - 32 * word) &
           ~low_bits(first - 32 * word);
  }
  /// Whether a group begins here.
  __device__ bool begins_group(int64_t item) const {
    const auto segment = static_cast<int32_t>(item / n);
    if (item == segment * n) return true;
    for (int32_t word = 0; word < words; ++word)
      if (mask(segment, item, word) != mask(segment, item - 1, word)) return true;
    return false;
  }
};

/// begins[item] = 1 where a group begins, and a last 0.
GPU_KERNEL void mark_groups_kernel(SortedRows rows, int64_t* begins) {
  const int64_t item = gpu::global_index();
  if (item <= rows.items()) begins[item] = item < rows.items() && rows.begins_group(item);
}

/// groups_before = scanned begins. group_begin [groups + 1], the last one = all items.
GPU_KERNEL void group_begins_kernel(const int64_t* groups_before, int64_t items,
                                    int32_t* group_begin) {
  const int64_t item = gpu::global_index();
  if (item > items) return;
  if (item == items || groups_before[item + 1] != groups_before[item])
    group_begin[groups_before[item]] = static_cast<int32_t>(item);
}

struct Groups {
  const int64_t* before;  ///< [items + 1] groups that begin before each item
  const int32_t* begin;   ///< [groups + 1] items
};

/// A window's share of the items. It ends with a tile, so that tiles have rows of one window.
struct Window {
  int32_t segment = 0;
  int64_t first_group = 0, end_group = 0;  // end: of the segment
  int64_t begin = 0, end = 0;              // items

  __device__ Window(const SortedRows& rows, const Groups& groups, int32_t tile_rows,
                    int32_t most_groups) {
    const int64_t windows = gridDim.x / static_cast<unsigned>(rows.segments);
    segment = static_cast<int32_t>(blockIdx.x / windows);
    const int64_t window = blockIdx.x - segment * windows;
    const int64_t segment_begin = segment * rows.n, segment_end = segment_begin + rows.n;
    const int64_t segment_first = groups.before[segment_begin];
    end_group = groups.before[segment_end];
    // As many as are needed, of about equal size.
    const int64_t count = end_group - segment_first;
    const int64_t used = (count + most_groups - 1) / most_groups;
    if (window >= used) return;
    const auto tile_end = [&](int64_t group) {
      if (group == end_group) return segment_end;
      const int64_t rows_before = groups.begin[group] - segment_begin;
      const int64_t tiles_end = (rows_before + tile_rows - 1) / tile_rows * tile_rows;
      return segment_begin + (tiles_end < rows.n ? tiles_end : rows.n);
    };
    first_group = segment_first + count * window / used;
    begin = tile_end(first_group);
    end = tile_end(segment_first + count * (window + 1) / used);
  }
};

/// The cheapest group that a warp has, and its rows.
struct Offer {
  uint32_t key;  // cost, then the group
  int32_t rows;
};

/// Shared memory of a block.
struct Scratch {
  int32_t capacity, words;  // of groups, of a mask
  uint32_t* masks;          // [words, capacity]
  int32_t* ends;            // [capacity] items
  int32_t* from;            // [3 * capacity] items, of each pick the first
  int32_t* to;              // [3 * capacity] the place in the window that it goes to
  uint32_t* shares;         // [tile_rows + 1]
  uint32_t* unions;         // [warps, words] the tile's offsets, each warp its own copy

  // Of picks, each takes the last of a group, fills a tile, or takes a group's full tiles.
  static constexpr int kPicks = 3;
  __device__ Scratch(int32_t groups, int32_t mask_words, int32_t tile_rows)
      : capacity(groups), words(mask_words), masks(gpu::dynamic_shared<uint32_t>()) {
    ends = reinterpret_cast<int32_t*>(masks + words * capacity);
    from = ends + capacity;
    to = from + kPicks * capacity;
    shares = reinterpret_cast<uint32_t*>(to + kPicks * capacity);
    unions = shares + tile_rows + 1;
  }
  static size_t bytes(int groups, int mask_words, int tile_rows) {
    constexpr int kMostWarps = kClusterThreads / 32;
    return sizeof(uint32_t) *
           (static_cast<size_t>(groups) * static_cast<size_t>(mask_words + 1 + 2 * kPicks) +
            static_cast<size_t>(tile_rows + 1) + static_cast<size_t>(kMostWarps * mask_words));
  }
};

/// Thread t has groups t, t + kClusterThreads, ...: their rows that are left, 0 of an absent group.
GPU_KERNEL void __launch_bounds__(kClusterThreads)
    cluster_kernel(SortedRows rows, Groups groups, int32_t tile_rows, int32_t most_groups,
                   int32_t* clustered) {
  constexpr int kWarps = kClusterThreads / gpu::warp_size();
  __shared__ Offer offers[2][kWarps];
  const auto thread = static_cast<int32_t>(threadIdx.x);
  const Window window(rows, groups, tile_rows, most_groups);
  const auto window_rows = static_cast<int32_t>(window.end - window.begin);
  if (window_rows == 0) return;
  const Scratch scratch(most_groups + tile_rows, rows.words, tile_rows);

  int32_t left[kOwnGroups] = {};
  for (int i = 0; i < kOwnGroups; ++i) {
    const int32_t own = thread + i * kClusterThreads;
    const int64_t group = window.first_group + own;
    if (own >= scratch.capacity || group >= window.end_group) continue;
    const int64_t begin = groups.begin[group], end = groups.begin[group + 1];
    const int64_t inside = begin > window.begin ? begin : window.begin;
    const int64_t inside_end = end < window.end ? end : window.end;
    if (inside >= inside_end) continue;
    left[i] = static_cast<int32_t>(inside_end - inside);
    scratch.ends[own] = static_cast<int32_t>(inside_end);
    for (int32_t word = 0; word < rows.words; ++word)
      scratch.masks[word * scratch.capacity + own] = rows.mask(window.segment, begin, word);
  }
  for (int32_t joining = 1 + thread; joining <= tile_rows; joining += kClusterThreads)
    scratch.shares[joining] = join_share(joining);
  gpu::sync_threads();

  uint32_t* tile = scratch.unions + gpu::warp_index() * rows.words;
  int32_t picks = 0;
  for (int32_t placed = 0; placed < window_rows; ++picks) {
    const int32_t filled = placed % tile_rows, room = tile_rows - filled;
    // Groups that are not there have keys of their own too: one lane has its warp's least.
    Offer mine{~uint32_t{0}, 0};
    int32_t added[kOwnGroups] = {}, missing[kOwnGroups] = {};
    if (filled > 0)
      for (int32_t word = 0; word < rows.words; ++word) {
        const uint32_t in_tile = tile[word];
        for (int i = 0; i < kOwnGroups; ++i) {
          if (left[i] == 0) continue;
          const uint32_t mask =
              scratch.masks[word * scratch.capacity + thread + i * kClusterThreads];
          added[i] += gpu::popcount(mask & ~in_tile);
          missing[i] += gpu::popcount(in_tile & ~mask);
        }
      }
    for (int i = 0; i < kOwnGroups; ++i) {
      uint32_t cost = ~uint32_t{0} >> kGroupBits;
      if (left[i] > 0) {
        const int32_t joining = left[i] < room ? left[i] : room;
        cost = filled > 0 ? join_cost(added[i], missing[i], filled, scratch.shares[joining])
                          : static_cast<uint32_t>(room - joining);
      }
      const uint32_t key = cost << kGroupBits | static_cast<uint32_t>(thread + i * kClusterThreads);
      if (key <= mine.key) mine = {key, left[i]};
    }
    Offer* round = offers[picks % 2];
    if (gpu::warp_min(mine.key) == mine.key) round[gpu::warp_index()] = mine;
    gpu::sync_threads();
    const uint32_t offered = gpu::lane() < kWarps ? round[gpu::lane()].key : ~uint32_t{0};
    const auto group = static_cast<int32_t>(gpu::warp_min(offered) % kMostClusterGroups);
    const int32_t had = round[group % kClusterThreads / gpu::warp_size()].rows;
    const int32_t taken = filled == 0 && had > room ? had / tile_rows * tile_rows
                          : had < room              ? had
                                                    : room;
    for (int i = 0; i < kOwnGroups; ++i)
      if (group == thread + i * kClusterThreads) left[i] -= taken;
    if (thread == 0) {
      scratch.from[picks] = scratch.ends[group] - had;
      scratch.to[picks] = placed;
    }
    for (int32_t word = gpu::lane(); word < rows.words; word += gpu::warp_size())
      tile[word] = scratch.masks[word * scratch.capacity + group] | (filled > 0 ? tile[word] : 0);
    gpu::sync_warp();
    placed += taken;
  }

  gpu::sync_threads();
  for (int32_t place = thread; place < window_rows; place += kClusterThreads) {
    int32_t pick = 0;
    for (int32_t end = picks; end - pick > 1;) {
      const int32_t middle = (pick + end) / 2;
      if (scratch.to[middle] <= place)
        pick = middle;
      else
        end = middle;
    }
    clustered[window.begin + place] = rows.order[scratch.from[pick] + place - scratch.to[pick]];
  }
}

}  // namespace

gpu::Buffer<int32_t> cluster_rows(const RowMasks& masks, int segments, int tile_rows,
                                  gpu::Buffer<int32_t> order, BuildContext context) {
  auto& [allocator, stream] = context;
  const int most_groups = window_groups(masks.words_per_row, tile_rows);
  const int64_t items = order.size();
  if (most_groups == 0 || items == 0) return order;
  const SortedRows rows{masks.words.data(), order.data(),        masks.n_rows,
                        segments,           masks.kernel_volume, masks.words_per_row};
  gpu::Buffer<int64_t> before(allocator, items + 1, gpu::Tag::workspace);
  gpu::Buffer<int32_t> begin(allocator, items + 1, gpu::Tag::workspace);
  gpu::Buffer<int32_t> clustered(allocator, items, gpu::Tag::plan);
  gpu::launch_flat(mark_groups_kernel, items + 1, stream, rows, before.data());
  gpu::exclusive_scan(before.data(), before.data(), items + 1, allocator, stream);
  gpu::launch_flat(group_begins_kernel, items + 1, stream, before.data(), items, begin.data());
  const int64_t windows = (masks.n_rows + most_groups - 1) / most_groups;
  gpu::launch(cluster_kernel, dim3(gpu::grid_of(windows * segments)), dim3(kClusterThreads),
              Scratch::bytes(most_groups + tile_rows, masks.words_per_row, tile_rows), stream, rows,
              Groups{before.data(), begin.data()}, tile_rows, most_groups, clustered.data());
  return clustered;
}

}  // namespace spb::maps
