// SPDX-License-Identifier: Apache-2.0
// How sort_groups() (group_sort.cu) cuts groups of rows in tiles, and how it counts the digits of
// their keys.
#pragma once

#include <algorithm>

#include "gpu/atomic.cuh"
#include "gpu/launch.cuh"
#include "gpu/primitives.h"
#include "gpu/qualifiers.h"

namespace spb::gpu::group_sort {

inline constexpr int kDigitBits = 9;  // of 26 bits, those of a mask, three passes
inline constexpr int kBins = 1 << kDigitBits;
inline constexpr int kThreads = kBins;  // a thread keeps one bin
inline constexpr int kMostPasses = 4;

/// Of a thread. 252k rows make a tile of usual ones for each of 132 multiprocessors. Of few rows a
/// tile's time is all there is, of many more share a bin of their tile.
inline constexpr int kFewItems = 2, kUsualItems = 4, kManyItems = 8;
constexpr int items_for(int64_t rows) {  // of all groups
  constexpr int64_t kFewRows = 1 << 15, kManyRows = 1 << 19;
  if (rows <= kFewRows) return kFewItems;
  return rows <= kManyRows ? kUsualItems : kManyItems;
}

// Counts of tiles carry what they are in the bits above: of pass p, 2 p + 1 = of this tile, 2 p + 2
// = of all up to this tile. So no pass needs the words cleared that the one before left.
inline constexpr int kCountBits = 28;

constexpr int passes_of(int key_bits) {
  return std::max(1, (key_bits + kDigitBits - 1) / kDigitBits);
}

/// A group's rows in tiles of their own.
struct Layout {
  int64_t rows;  // of a segment
  int64_t window;
  int64_t windows;       // of a segment
  int64_t window_tiles;  // of a full window
  int64_t segment_tiles;
  int32_t segments;
  int32_t items;  // of a thread

  explicit Layout(const RowGroups& groups)
      : Layout(groups, items_for(groups.rows * groups.segments)) {}
  Layout(const RowGroups& groups, int32_t items_of_thread)
      : rows(groups.rows),
        window(groups.window),
        windows(groups.windows()),
        segments(groups.segments),
        items(items_of_thread) {
    window_tiles = tiles_of(window);
    segment_tiles = (windows - 1) * window_tiles + tiles_of(rows - (windows - 1) * window);
  }

  __host__ __device__ int64_t tile_rows() const { return int64_t{kThreads} * items; }
  int64_t tiles_of(int64_t group_rows) const {
    return (group_rows + tile_rows() - 1) / tile_rows();
  }

  int64_t tiles() const { return segment_tiles * segments; }
  int64_t groups() const { return windows * segments; }
};

struct Tile {
  int64_t group;
  int64_t group_begin;  // item, counted over all segments
  int64_t first_item;
  int64_t first_row;  // of the segment
  int32_t size;
  int32_t number;  // in its group

  Tile() = default;
  __device__ Tile(const Layout& layout, uint32_t tile) {
    // There are no more tiles than a grid has blocks: 32 bits are enough, and divide faster.
    const auto segment_tiles = static_cast<uint32_t>(layout.segment_tiles);
    const auto window_tiles = static_cast<uint32_t>(layout.window_tiles);
    const uint32_t segment_number = tile / segment_tiles;
    const uint32_t rest = tile - segment_number * segment_tiles;
    const uint32_t window_number = rest / window_tiles;
    number = static_cast<int32_t>(rest - window_number * window_tiles);
    const auto segment = int64_t{segment_number}, in_segment = int64_t{window_number};
    group = segment * layout.windows + in_segment;
    const int64_t begin = in_segment * layout.window;
    const int64_t end = begin + layout.window < layout.rows ? begin + layout.window : layout.rows;
    group_begin = segment * layout.rows + begin;
    first_row = begin + number * layout.tile_rows();
    const int64_t left = end - first_row;
    size = static_cast<int32_t>(left < layout.tile_rows() ? left : layout.tile_rows());
    first_item = segment * layout.rows + first_row;
  }
};

/// Words that must be zero before the first pass.
struct Zeros {
  uint32_t* counts;  // [groups, passes, kBins]
  uint32_t* states;  // [tiles, kBins]
  uint32_t* next;    // [passes] tiles begun

  static int64_t words(const Layout& layout, int passes) {
    return (layout.groups() * passes + layout.tiles()) * kBins + kMostPasses;
  }
  Zeros(uint32_t* memory, const Layout& layout, int passes)
      : counts(memory),
        states(counts + layout.groups() * passes * kBins),
        next(states + layout.tiles() * kBins) {}
};

/// Calls visit(i, at, valid) for the items of a tile that the thread has, `at` their places in it.
/// A warp takes items that follow one another, its lanes in turn.
template <int kItems, class Visit>
__device__ void items_of(const Tile& tile, Visit visit) {
  const int32_t first = warp_index() * kItems * warp_size() + lane();
  GPU_UNROLL_AMD
  for (int i = 0; i < kItems; ++i) {
    const int32_t at = first + i * warp_size();
    visit(i, at, at < tile.size);
  }
}

/// Digits of keys, those of pass 0 the lowest.
struct Digits {
  int32_t passes, bits;
  uint32_t used;  // bits of a key

  explicit Digits(int key_bits)
      : passes(passes_of(key_bits)),
        bits((std::max(1, key_bits) + passes - 1) / passes),
        used(static_cast<uint32_t>((uint64_t{1} << key_bits) - 1)) {}
  __host__ __device__ uint32_t mask() const { return (uint32_t{1} << bits) - 1; }
};

/// Counts the digits of all passes, group by group. key_of(item), item [segments, rows], is called
/// once for each.
template <int kItems, class KeyOf>
GPU_KERNEL void __launch_bounds__(kThreads)
    count_kernel(KeyOf key_of, Layout layout, Digits of_keys, uint32_t* of_groups) {
  __shared__ uint32_t counts[kMostPasses * kBins];
  const int32_t passes = of_keys.passes;
  for (int32_t i = static_cast<int32_t>(threadIdx.x); i < passes * kBins; i += kThreads)
    counts[i] = 0;
  wait_for_earlier_kernels();
  const Tile tile(layout, blockIdx.x);
  uint32_t digits[kItems];
  items_of<kItems>(tile, [&](int i, int32_t at, bool valid) {
    digits[i] = valid ? key_of(tile.first_item + at) & of_keys.used : 0;
  });
  sync_threads();
  const uint32_t mask = of_keys.mask();
  for (int32_t pass = 0; pass < passes; ++pass)
    items_of<kItems>(tile, [&](int i, int32_t, bool valid) {
      if (valid) atomic_add(&counts[pass * kBins + static_cast<int32_t>(digits[i] & mask)], 1u);
      digits[i] >>= of_keys.bits;
    });
  sync_threads();
  uint32_t* to = of_groups + tile.group * passes * kBins;
  for (int32_t i = static_cast<int32_t>(threadIdx.x); i < passes * kBins; i += kThreads)
    if (counts[i] != 0) atomic_add(&to[i], counts[i]);
}

/// Starts the count of sort_counted_groups().
template <class KeyOf>
void count_groups(KeyOf key_of, const RowGroups& groups, int key_bits, uint32_t* zeros,
                  const Stream& stream) {
  if (groups.rows == 0) return;
  // Where a block's time is all there is, half of the items take half of it; of many the atomics
  // do.
  const int32_t items = Layout(groups).items;
  const Layout layout(groups, items == kManyItems ? items : items / 2);
  const Digits digits(key_bits);
  launch_few_early(items == kFewItems     ? count_kernel<kFewItems / 2, KeyOf>
                   : items == kUsualItems ? count_kernel<kUsualItems / 2, KeyOf>
                                          : count_kernel<kManyItems, KeyOf>,
                   dim3(grid_of(layout.tiles())), dim3(kThreads), 0, stream, key_of, layout, digits,
                   Zeros(zeros, layout, digits.passes).counts);
}

}  // namespace spb::gpu::group_sort
