// SPDX-License-Identifier: Apache-2.0
// Sorting rows within groups: least-significant digit first, every pass one kernel that reads a
// tile once and learns from the tiles before it where its rows go (A. Adinets, D. Merrill,
// "Onesweep: a faster least significant digit radix sort for GPUs", 2022). Own code, because groups
// that lie one behind the other need neither digits of their number nor tiles before their first,
// rows need not be read before they are sorted, and keys not written after: 252k keys of 26 bits
// cost CUB ten launches, this four.
#include <algorithm>
#include <string_view>
#include <type_traits>

#include "gpu/atomic.cuh"
#include "gpu/device_info.h"
#include "gpu/launch.cuh"
#include "gpu/primitives.h"

namespace spb::gpu {
namespace {

constexpr int kDigitBits = 9;  // of 26 bits, those of a mask, three passes
constexpr int kBins = 1 << kDigitBits;
constexpr int kThreads = kBins;  // a thread keeps one bin
constexpr int kMostPasses = 4;

/// Of a thread. 252k rows make a tile of usual ones for each of 132 multiprocessors. Of few rows a
/// tile's time is all there is, of many more share a bin of their tile.
constexpr int kFewItems = 2, kUsualItems = 4, kManyItems = 8;
constexpr int64_t kFewRows = 1 << 15, kManyRows = 1 << 19;  // of all groups
constexpr int items_for(int64_t rows) {
  if (rows <= kFewRows) return kFewItems;
  return rows <= kManyRows ? kUsualItems : kManyItems;
}

// Counts of tiles carry what they are in the bits above: of pass p, 2 p + 1 = of this tile, 2 p + 2
// = of all up to this tile. So no pass needs the words cleared that the one before left.
constexpr int kCountBits = 28;
/// Counts of earlier tiles that a thread reads at once: as many as it has registers for.
constexpr int together_of(int items) { return items <= kUsualItems ? 24 : 16; }

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
      : rows(groups.rows),
        window(groups.window),
        windows(groups.windows()),
        segments(groups.segments),
        items(items_for(rows * segments)) {
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
  for (int i = 0; i < kItems; ++i) {
    const int32_t at = first + i * warp_size();
    visit(i, at, at < tile.size);
  }
}

/// Counts the digits of all passes, group by group.
template <int kItems>
GPU_KERNEL void __launch_bounds__(kThreads)
    count_kernel(const uint32_t* keys, Layout layout, uint32_t used_bits, int32_t passes,
                 int32_t digit_bits, Zeros zeros) {
  __shared__ uint32_t counts[kMostPasses * kBins];
  for (int32_t i = static_cast<int32_t>(threadIdx.x); i < passes * kBins; i += kThreads)
    counts[i] = 0;
  wait_for_earlier_kernels();
  const Tile tile(layout, blockIdx.x);
  uint32_t digits[kItems];
  items_of<kItems>(tile, [&](int i, int32_t at, bool valid) {
    digits[i] = valid ? keys[tile.first_item + at] & used_bits : 0;
  });
  sync_threads();
  const uint32_t mask = (uint32_t{1} << digit_bits) - 1;
  for (int32_t pass = 0; pass < passes; ++pass)
    items_of<kItems>(tile, [&](int i, int32_t, bool valid) {
      if (valid) atomic_add(&counts[pass * kBins + static_cast<int32_t>(digits[i] & mask)], 1u);
      digits[i] >>= digit_bits;
    });
  sync_threads();
  uint32_t* to = zeros.counts + tile.group * passes * kBins;
  for (int32_t i = static_cast<int32_t>(threadIdx.x); i < passes * kBins; i += kThreads)
    if (counts[i] != 0) atomic_add(&to[i], counts[i]);
}

/// Two values of a thread, or sums of such.
struct Two {
  uint32_t first, second;
  __device__ Two operator+(const Two& other) const {
    return {first + other.first, second + other.second};
  }
};

/// Sums of the values of the threads before. `sums` has room for those of each warp.
__device__ Two scan_block(Two values, Two* sums) {
  constexpr int kWarps = kThreads / warp_size();
  Two sum = values;  // of the lanes up to this one
  for (int step = 1; step < warp_size(); step *= 2) {
    const int from = lane() >= step ? lane() - step : lane();
    const Two other{shuffle(sum.first, from), shuffle(sum.second, from)};
    if (lane() >= step) sum = sum + other;
  }
  if (lane() == warp_size() - 1) sums[warp_index()] = sum;
  sync_threads();
  Two before{sum.first - values.first, sum.second - values.second};
  for (int warp = 0; warp < kWarps; ++warp)
    if (warp < warp_index()) before = before + sums[warp];
  return before;
}

struct Pass {
  const uint32_t* keys;
  const int32_t* rows;    // null: those of the segment as they stand
  uint32_t* sorted_keys;  // null: not needed any more
  int32_t* sorted_rows;
  int32_t number, passes;
  int32_t shift;
  uint32_t digit_mask;
};

/// Sum of this bin over the tiles before in the group.
template <int kTogether>
__device__ uint32_t sum_before(const uint32_t* states, int64_t tile, int32_t number,
                               uint32_t partial) {
  // Read past caches that other multiprocessors do not write to.
  const volatile uint32_t* bin = states + tile * kBins + threadIdx.x;
  uint32_t sum = 0;
  for (int32_t back = 1; back <= number; back += kTogether) {
    uint32_t words[kTogether];
    for (int j = 0; j < kTogether; ++j)
      words[j] = back + j <= number ? bin[-int64_t{back + j} * kBins] : (partial + 1) << kCountBits;
    for (int j = 0; j < kTogether; ++j) {
      while (words[j] >> kCountBits < partial) words[j] = bin[-int64_t{back + j} * kBins];
      sum += words[j] & ((uint32_t{1} << kCountBits) - 1);
      if (words[j] >> kCountBits > partial) return sum;
    }
  }
  return sum;
}

/// What a thread of a pass reads first.
template <int kItems>
struct PassInput {
  Tile tile;
  uint32_t in_bin;  // rows of the group
  uint32_t keys[kItems];
  int32_t rows[kItems];

  __device__ void read(const Layout& layout, const Pass& pass, const Zeros& zeros, uint32_t index) {
    tile = Tile(layout, index);
    in_bin = zeros.counts[(tile.group * pass.passes + pass.number) * kBins + threadIdx.x];
    items_of<kItems>(tile, [&](int i, int32_t at, bool valid) {
      keys[i] = valid ? pass.keys[tile.first_item + at] : 0;
      rows[i] = static_cast<int32_t>(tile.first_row) + at;
      if (pass.rows && valid) rows[i] = pass.rows[tile.first_item + at];
    });
  }
};

template <int kItems>
GPU_KERNEL void __launch_bounds__(kThreads) pass_kernel(Layout layout, Pass pass, Zeros zeros) {
  using Lanes = std::conditional_t<warp_size() == 32, uint32_t, uint64_t>;
  constexpr int kWarps = kThreads / warp_size();
  constexpr int kCounts = kWarps * kBins, kSorted = 2 * kThreads * kItems;
  // [kWarps, kBins] counts, then where the warp's next item of a bin belongs; then sorted items.
  __shared__ uint32_t words[kCounts > kSorted ? kCounts : kSorted];
  __shared__ int32_t to_begins[kBins];  // from an item's place in the tile to that in the group
  __shared__ Two sums[kWarps];
  __shared__ uint32_t taken;
  const auto bin = static_cast<int32_t>(threadIdx.x);
  uint32_t* counts = words + warp_index() * kBins;
  for (int i = lane(); i < kBins; i += warp_size()) counts[i] = 0;
  wait_for_earlier_kernels();
  // Tiles are numbered as they begin: whom one waits for has begun before. Nearly all begin in the
  // order of blocks, so that a block reads the tile of its own number meanwhile.
  if (bin == 0) taken = atomic_add(&zeros.next[pass.number], 1u);
  PassInput<kItems> input;
  input.read(layout, pass, zeros, blockIdx.x);
  sync_threads();
  const int64_t tile_index = taken;
  if (taken != blockIdx.x) input.read(layout, pass, zeros, taken);
  const auto& [tile, in_bin, keys, rows] = input;
  uint32_t ranks[kItems];

  const auto digit = [&](uint32_t key) { return key >> pass.shift & pass.digit_mask; };
  const Lanes below = (Lanes{1} << lane()) - 1;
  items_of<kItems>(tile, [&](int i, int32_t, bool valid) {
    auto peers = static_cast<Lanes>(ballot(valid));
    for (int bit = 0; bit < kDigitBits; ++bit) {
      const bool set = digit(keys[i]) >> bit & 1;
      const auto lanes = static_cast<Lanes>(ballot(set));
      peers &= set ? lanes : ~lanes;
    }
    const int before = popcount(peers & below);
    uint32_t base = 0;
    if (valid && before == 0) {
      base = counts[digit(keys[i])];
      counts[digit(keys[i])] = base + static_cast<uint32_t>(popcount(peers));
    }
    ranks[i] = shuffle(base, valid ? lowest_bit(peers) : lane()) + static_cast<uint32_t>(before);
    sync_warp();
  });
  sync_threads();

  uint32_t in_tile = 0;
  for (int warp = 0; warp < kWarps; ++warp) in_tile += words[warp * kBins + bin];
  const auto partial = static_cast<uint32_t>(2 * pass.number + 1);
  volatile uint32_t* state = zeros.states + tile_index * kBins + bin;
  if (tile.number > 0) *state = partial << kCountBits | in_tile;
  const auto [group_begin, tile_begin] = scan_block({in_bin, in_tile}, sums);
  uint32_t next = tile_begin;
  for (int warp = 0; warp < kWarps; ++warp) {
    const uint32_t count = words[warp * kBins + bin];
    words[warp * kBins + bin] = next;
    next += count;
  }
  sync_threads();
  items_of<kItems>(tile, [&](int i, int32_t, bool valid) {
    if (valid) ranks[i] += counts[digit(keys[i])];
  });
  const uint32_t before = tile.number > 0 ? sum_before<together_of(kItems)>(
                                                zeros.states, tile_index, tile.number, partial)
                                          : 0;
  *state = (partial + 1) << kCountBits | (before + in_tile);
  to_begins[bin] = static_cast<int32_t>(group_begin + before - tile_begin);
  sync_threads();

  // Written from where they stand, items of a bin would leave one by one.
  uint32_t* sorted_keys = words;
  auto* sorted_rows = reinterpret_cast<int32_t*>(sorted_keys + kThreads * kItems);
  items_of<kItems>(tile, [&](int i, int32_t, bool valid) {
    if (!valid) return;
    sorted_keys[ranks[i]] = keys[i];
    sorted_rows[ranks[i]] = rows[i];
  });
  sync_threads();
  for (int32_t i = bin; i < tile.size; i += kThreads) {
    const uint32_t key = sorted_keys[i];
    const int64_t to = tile.group_begin + (to_begins[digit(key)] + i);
    if (pass.sorted_keys) pass.sorted_keys[to] = key;
    pass.sorted_rows[to] = sorted_rows[i];
  }
}

template <int kItems>
int sort(uint32_t* const (&keys)[2], int32_t* const (&rows)[2], const Layout& layout, int key_bits,
         uint32_t* zeros, const Stream& stream) {
  const int passes = passes_of(key_bits);
  const int digit_bits = (std::max(1, key_bits) + passes - 1) / passes;
  const auto used_bits = static_cast<uint32_t>((uint64_t{1} << key_bits) - 1);
  const Zeros words(zeros, layout, passes);
  const dim3 grid(grid_of(layout.tiles())), block(kThreads);
  launch_few_early(count_kernel<kItems>, grid, block, 0, stream, keys[0], layout, used_bits, passes,
                   digit_bits, words);
  for (int i = 0; i < passes; ++i) {
    const int next = (i + 1) % 2;
    const bool last = i + 1 == passes;
    const Pass pass{.keys = keys[i % 2],
                    .rows = i == 0 ? nullptr : rows[i % 2],
                    .sorted_keys = last ? nullptr : keys[next],
                    .sorted_rows = rows[next],
                    .number = i,
                    .passes = passes,
                    .shift = i * digit_bits,
                    .digit_mask = used_bits >> i * digit_bits & ((uint32_t{1} << digit_bits) - 1)};
    launch_few_early(pass_kernel<kItems>, grid, block, 0, stream, layout, pass, words);
  }
  return passes % 2;
}

}  // namespace

bool sorts_groups(const RowGroups& groups) {
  // A tile of usual items. Whether fewer rows pay since their tiles are smaller is not measured.
  constexpr int64_t kLeast = kThreads * kUsualItems;
  return std::string_view(backend_name()) == "cuda" && groups.rows > kLeast &&
         groups.window > kLeast && groups.window < int64_t{1} << kCountBits;
}

int64_t sort_groups_zeros(const RowGroups& groups, int key_bits) {
  return Zeros::words(Layout(groups), passes_of(key_bits));
}

int sort_groups(uint32_t* const (&keys)[2], int32_t* const (&rows)[2], const RowGroups& groups,
                int key_bits, uint32_t* zeros, const Stream& stream) {
  if (groups.rows == 0) return 0;
  const Layout layout(groups);
  if (layout.items == kFewItems)
    return sort<kFewItems>(keys, rows, layout, key_bits, zeros, stream);
  if (layout.items == kUsualItems)
    return sort<kUsualItems>(keys, rows, layout, key_bits, zeros, stream);
  return sort<kManyItems>(keys, rows, layout, key_bits, zeros, stream);
}

}  // namespace spb::gpu
