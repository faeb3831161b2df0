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

#include "gpu/device_info.h"
#include "gpu/group_tiles.cuh"

namespace spb::gpu {
namespace {

using namespace group_sort;

/// Counts of earlier tiles that a thread reads at once: as many as it has registers for.
constexpr int together_of(int items) { return items <= kUsualItems ? 24 : 16; }

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
  // A tile takes half of a multiprocessor's registers: passes that all wait for the first one would
  // keep them from the lookups beside.
  wait_for_earlier_kernels_alone();
  // Tiles are numbered as they begin: whom one waits for has begun before. Nearly all begin in the
  // order of blocks, so that a block reads the tile of its own number meanwhile.
  if (bin == 0) taken = atomic_add(&zeros.next[pass.number], 1u);
  PassInput<kItems> input;
  input.read(layout, pass, zeros, blockIdx.x);
  sync_threads();
  const int64_t tile_index = taken;
  if (taken != blockIdx.x) input.read(layout, pass, zeros, taken);
  const Tile& tile = input.tile;
  const auto& keys = input.keys;
  const auto& rows = input.rows;
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
  let_next_kernel_begin();

  uint32_t in_tile = 0;
  for (int warp = 0; warp < kWarps; ++warp) in_tile += words[warp * kBins + bin];
  const auto partial = static_cast<uint32_t>(2 * pass.number + 1);
  volatile uint32_t* state = zeros.states + tile_index * kBins + bin;
  if (tile.number > 0) *state = partial << kCountBits | in_tile;
  const auto [group_begin, tile_begin] = scan_block({input.in_bin, in_tile}, sums);
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
int sort(uint32_t* const (&keys)[2], int32_t* const (&rows)[2], const Layout& layout,
         const Digits& digits, uint32_t* zeros, const Stream& stream) {
  const Zeros words(zeros, layout, digits.passes);
  for (int i = 0; i < digits.passes; ++i) {
    const int next = (i + 1) % 2;
    const bool last = i + 1 == digits.passes;
    const Pass pass{.keys = keys[i % 2],
                    .rows = i == 0 ? nullptr : rows[i % 2],
                    .sorted_keys = last ? nullptr : keys[next],
                    .sorted_rows = rows[next],
                    .number = i,
                    .passes = digits.passes,
                    .shift = i * digits.bits,
                    .digit_mask = digits.used >> i * digits.bits & digits.mask()};
    launch_few_early(pass_kernel<kItems>, dim3(grid_of(layout.tiles())), dim3(kThreads), 0, stream,
                     layout, pass, words);
  }
  return digits.passes % 2;
}

struct WrittenKeys {
  const uint32_t* keys;
  __device__ uint32_t operator()(int64_t item) const { return keys[item]; }
};

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
  count_groups(WrittenKeys{keys[0]}, groups, key_bits, zeros, stream);
  return sort_counted_groups(keys, rows, groups, key_bits, zeros, stream);
}

int sort_counted_groups(uint32_t* const (&keys)[2], int32_t* const (&rows)[2],
                        const RowGroups& groups, int key_bits, uint32_t* zeros,
                        const Stream& stream) {
  if (groups.rows == 0) return 0;
  const Layout layout(groups);
  const Digits digits(key_bits);
  if (layout.items == kFewItems) return sort<kFewItems>(keys, rows, layout, digits, zeros, stream);
  if (layout.items == kUsualItems)
    return sort<kUsualItems>(keys, rows, layout, digits, zeros, stream);
  return sort<kManyItems>(keys, rows, layout, digits, zeros, stream);
}

}  // namespace spb::gpu
