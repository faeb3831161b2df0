// SPDX-License-Identifier: Apache-2.0
// What a block does to build a halo: colors, a table in shared memory where each input row of the
// tile is found once, rounds.
#pragma once

#include "gpu/atomic.cuh"
#include "gpu/launch.cuh"
#include "maps/halo/halo_parts.h"
#include "maps/orders/window_sort.cuh"
#include "maps/pairs/unrolled.cuh"

namespace spb::maps {

inline constexpr int kHaloLowColors = kHaloChunks;
inline constexpr int kHaloZeroSlots = kHaloColors / kHaloLowColors;  // one for each parity
/// Of the table that finds rows which are in a halo already: in rounds, rows of all slots and of
/// one offset more fill less than half.
inline constexpr int kHaloTableSize = 2048;
static_assert(2 * (kHaloSlots + kHaloRows) <= kHaloTableSize);
// An offset alone fits whatever the colors of its rows.
static_assert(kHaloZeroSlots + 2 * kHaloRows <= kHaloSlots && kHaloSlots % 4 == 0);

__device__ inline uint32_t packed_place(int32_t x, int32_t y, int32_t z) {
  return static_cast<uint32_t>((x & 7) << 16 | (y & 7) << 8 | (z & 7));
}
/// A color of coordinates: x, y and z, the first two times a factor, modulo kHaloColors.
struct HaloColorRule {
  static constexpr int kRules = 64;
  uint32_t factors;

  __device__ explicit HaloColorRule(uint32_t i) : factors(1u << 16 | i / 8 % 8 << 8 | i % 8) {}
  /// Of packed_place() coordinates, times `scale`, a power of two up to 8. The sum of the three
  /// products of a place and its factor stands from bit 16 on in one product: what lies below has
  /// no more than 15 bits, and once it is scaled reaches bits alone that the mask leaves out.
  __device__ uint32_t of(uint32_t place, uint32_t scale = 1) const {
    return place * factors * scale >> 16 & (kHaloColors - 1) * scale;
  }
};

struct HaloWork {
  const int32_t* map;  // [n, kernel_volume]
  const Coord* rows;   // [n]
  HaloGeometry geometry;
  int64_t n;
  int32_t kernel_volume;
  WindowSort sort;  // of rows that are not in their order yet; along null: they are
};

/// What a block knows of its tile.
struct HaloShared {
  int32_t keys[kHaloTableSize];     // input rows, or -1
  uint16_t values[kHaloTableSize];  // tag * kHaloColors + color; then the local index, or kNoSlot
  uint32_t places[kHaloRows];       // packed_place() coordinates that colors go by
  uint32_t masks[kHaloGroups];
  uint32_t steps[kMostHaloOffsets];             // what offsets add to a color
  uint64_t of_color[kHaloGroups][kHaloColors];  // rows of a group
  uint64_t others[kHaloGroups];                 // rows of a group, not the first of their color
  uint32_t added[kMostHaloOffsets][2];          // rows that an offset brought, by parity
  uint32_t counts[2];                           // rows numbered so far, by parity
  uint32_t costs[HaloColorRule::kRules];
  uint32_t best_rule;
  uint32_t is_full;
};

__device__ inline uint32_t place_in_halo_table(int32_t key) {
  return static_cast<uint32_t>(key) * 2654435761u >> 21;  // Knuth's multiplicative hash, 11 bits
}
static_assert(kHaloTableSize == 1 << 11);

/// A block's work on a tile: threads stand for rows.
class HaloTileBuilder {
 public:
  __device__ HaloTileBuilder(const HaloWork& work, const int32_t* order, int64_t tile,
                             HaloShared& shared)
      : work_(work),
        shared_(shared),
        neighbors_(gpu::dynamic_shared<int32_t>()),
        thread_(static_cast<int32_t>(threadIdx.x)),
        group_(thread_ / kHaloGroupRows),
        first_(tile * kHaloRows) {
    static_assert(kZWindow == kHaloRows && 2 * kZWindow <= kHaloTableSize);
    if (work.sort.along)
      row_ = row_in_window(work.sort, 0, first_, work.n, reinterpret_cast<uint32_t*>(shared.keys));
    else
      row_ = first_ + thread_ < work.n ? order[first_ + thread_] : -1;
    clear();
    stage_neighbors();
    reduce_masks();
    choose_rule();
    arrange();
  }

  __device__ int32_t row() const { return row_; }
  __device__ int32_t group() const { return group_; }
  /// In the group, where the row ends up.
  __device__ int32_t position() const { return position_; }
  __device__ uint32_t mask(int32_t group) const { return shared_.masks[group]; }

  /// All offsets in one round: true if their rows fit. Tried first, in haste: also false where the
  /// table takes more than kFewTries for a row; take_round() may then still take all. Overwrites
  /// neighbors by their places in the table.
  __device__ bool takes_one_round() {
    clear_table();
    for (int32_t o = 0; o < work_.kernel_volume; ++o)
      if (const int32_t key = neighbor(o); key >= 0) neighbor(o) = insert(key, o, 0, kFewTries);
    gpu::sync_threads();
    if (shared_.is_full) return false;
    number_rows(work_.kernel_volume);
    at_known_ = slot_count() <= kHaloSlots;
    return at_known_;
  }
  /// As many offsets from `begin` on as fit: returns their end. After takes_one_round() failed.
  __device__ int32_t take_round(int32_t begin) {
    if (begin == 0) stage_neighbors();
    gpu::sync_threads();  // nobody reads the round before
    clear_table();
    uint32_t most = 0, counts[2] = {0, 0};
    int32_t end = begin;
    for (; end < work_.kernel_volume; ++end) {
      if (const int32_t key = neighbor(end); key >= 0) insert(key, end, end, kHaloTableSize);
      gpu::sync_threads();
      for (int parity = 0; parity < 2; ++parity) {
        counts[parity] += shared_.added[end][parity];
        most = counts[parity] > most ? counts[parity] : most;
      }
      if (kHaloZeroSlots + 2 * most > kHaloSlots) break;
    }
    number_rows(end);
    return end;
  }
  /// Of the round.
  __device__ int32_t slot_count() const {
    const uint32_t most =
        shared_.counts[0] > shared_.counts[1] ? shared_.counts[0] : shared_.counts[1];
    return (kHaloZeroSlots + 2 * static_cast<int32_t>(most) + 3) / 4 * 4;
  }
  /// Of the round.
  __device__ void write_slots(uint32_t* slots) const {
    for (int32_t i = thread_; i < kHaloTableSize; i += kHaloRows)
      if (shared_.values[i] != kNoSlot)
        slots[shared_.values[i] / kHaloChunks] =
            static_cast<uint32_t>(shared_.keys[i]) << 2 | shared_.values[i] % kHaloChunks;
    const int32_t count = slot_count();
    for (int32_t i = thread_; i < count; i += kHaloRows) {
      const int32_t rank = (i - kHaloZeroSlots) / 2;
      if (i < kHaloZeroSlots || rank >= static_cast<int32_t>(shared_.counts[i % 2]))
        slots[i] = HaloLists::kNoRow;
    }
  }
  /// Of the row's neighbor through an offset of the round. Of an absent one the zeros in the banks
  /// that its color would take.
  __device__ uint16_t local(int32_t offset) {
    const int32_t there = neighbor(offset);
    if (there < 0) {
      const int32_t own = color(offset);
      static_assert(kHaloLowColors == kHaloChunks);
      return static_cast<uint16_t>(own);  // slot own / 4, low color own % 4
    }
    return shared_.values[at_known_ ? there : find(there)];
  }

 private:
  __device__ int32_t& neighbor(int32_t offset) {
    return neighbors_[thread_ * work_.kernel_volume + offset];
  }
  /// Of the row's neighbor through an offset, whether or not there is one.
  __device__ int32_t color(int32_t offset) const {
    return static_cast<int32_t>((color_ + shared_.steps[offset]) & (kHaloColors - 1));
  }

  __device__ void clear() {
    if (thread_ < kHaloGroups) shared_.masks[thread_] = 0, shared_.others[thread_] = 0;
    if (thread_ < kHaloGroups * kHaloColors)
      shared_.of_color[thread_ / kHaloColors][thread_ % kHaloColors] = 0;
    if (thread_ < HaloColorRule::kRules) shared_.costs[thread_] = 0;
    if (thread_ == 0) shared_.best_rule = ~0u;
    Coord c;
    if (row_ >= 0) c = work_.rows[row_];
    const HaloGeometry& g = work_.geometry;
    shared_.places[thread_] =
        packed_place(c.x * g.multiplier[0] / g.divisor[0], c.y * g.multiplier[1] / g.divisor[1],
                     c.z * g.multiplier[2] / g.divisor[2]);
  }

  __device__ void stage_neighbors() {
    const int32_t kv = work_.kernel_volume;
    gpu::sync_threads();
    shared_.keys[thread_] = row_;  // where the table will be
    gpu::sync_threads();
    // Neighboring threads read neighboring entries of a row. A product instead of a division: exact
    // for i * kv below 2^32.
    const uint64_t reciprocal = ~uint32_t{0} / static_cast<uint32_t>(kv) + uint64_t{1};
    copy_together(
        thread_, kHaloRows * kv, kHaloRows,
        [&](int32_t i) {
          const auto of = static_cast<int32_t>(static_cast<uint32_t>(i) * reciprocal >> 32);
          const int64_t row = shared_.keys[of];
          return row < 0 ? -1 : work_.map[row * kv + (i - of * kv)];
        },
        [&](int32_t i, int32_t value) { neighbors_[i] = value; });
    gpu::sync_threads();
  }

  __device__ void reduce_masks() {
    uint32_t mask = 0;
    for (int32_t o = 0; o < work_.kernel_volume; ++o)
      mask |= static_cast<uint32_t>(neighbor(o) >= 0) << o;
    mask = gpu::reduce_warp(mask, [](uint32_t a, uint32_t b) { return a | b; });
    if (gpu::lane() == 0) gpu::atomic_or(&shared_.masks[group_], mask);
  }

  /// The rule by which the most frequent colors of the groups are rarest; the first of several.
  __device__ void choose_rule() {
    static_assert(HaloColorRule::kRules * kHaloGroups == kHaloRows);
    const auto number = static_cast<uint32_t>(thread_ % HaloColorRule::kRules);
    const HaloColorRule tried(number);
    const uint32_t* places = shared_.places + thread_ / HaloColorRule::kRules * kHaloGroupRows;
    const int64_t left = work_.n - first_ - (places - shared_.places);
    const auto rows = static_cast<int32_t>(left < kHaloGroupRows ? left : kHaloGroupRows);
    // Four bits hold the counts of eight rows; a byte for each color holds those of a group.
    constexpr int kNibble = 4, kTogether = 8;
    constexpr uint32_t kLowNibbles = 0x0F0F0F0F;
    uint32_t even = 0, odd = 0;  // colors
    for (int32_t i = 0; i < rows; i += kTogether) {
      uint32_t counts = 0;
      unrolled<kTogether>([&](auto j) {
        if (i + j.value < rows) counts += 1u << tried.of(places[i + j.value], kNibble);
      });
      even += counts & kLowNibbles;
      odd += counts >> kNibble & kLowNibbles;
    }
    uint32_t most = 0;
    for (int shift = 0; shift < 32; shift += 8) {
      const uint32_t of_even = even >> shift & 0xFF, of_odd = odd >> shift & 0xFF;
      const uint32_t larger = of_even > of_odd ? of_even : of_odd;
      most = larger > most ? larger : most;
    }
    gpu::atomic_add(&shared_.costs[number], most);
    gpu::sync_threads();
    if (thread_ < HaloColorRule::kRules)
      gpu::atomic_min(&shared_.best_rule, shared_.costs[number] * HaloColorRule::kRules + number);
    gpu::sync_threads();
    const HaloColorRule rule(shared_.best_rule % HaloColorRule::kRules);
    color_ = rule.of(shared_.places[thread_]);
    if (thread_ < work_.kernel_volume) {
      const int32_t* step = work_.geometry.steps[thread_];
      shared_.steps[thread_] = rule.of(packed_place(step[0], step[1], step[2]));
    }
  }

  /// Places the rows of a whole group so that each eight in a row have different colors: the first
  /// eight of each color one to each eight, the others where places are left.
  __device__ void arrange() {
    const int32_t in_group = thread_ % kHaloGroupRows;
    const int32_t first_of_warp = in_group & ~(gpu::warp_size() - 1);
    for (uint32_t c = 0; c < kHaloColors; ++c) {
      const uint64_t same = gpu::ballot(color_ == c);
      if (gpu::lane() == 0) gpu::atomic_or(&shared_.of_color[group_][c], same << first_of_warp);
    }
    gpu::sync_threads();
    const uint64_t before = (uint64_t{1} << in_group) - 1;
    const int rank = gpu::popcount(shared_.of_color[group_][color_] & before);
    const bool is_other = rank >= kHaloColors;
    const uint64_t others = gpu::ballot(is_other);
    if (gpu::lane() == 0) gpu::atomic_or(&shared_.others[group_], others << first_of_warp);
    gpu::sync_threads();
    if (first_ + (group_ + 1) * kHaloGroupRows > work_.n)
      position_ = in_group;  // positions stay below n
    else if (is_other)
      position_ = place_left(gpu::popcount(shared_.others[group_] & before));
    else
      position_ = rank * kHaloColors + static_cast<int32_t>(color_);
  }
  /// Of the places that the first eight rows of each color leave.
  __device__ int32_t place_left(int number) const {
    constexpr uint64_t kOneOfEach = 0x0101010101010101;
    uint64_t used = 0;
    for (int32_t c = 0; c < kHaloColors; ++c) {
      const int count = gpu::popcount(shared_.of_color[group_][c]);
      used |= (count < kHaloColors ? kOneOfEach & ((uint64_t{1} << 8 * count) - 1) : kOneOfEach)
              << c;
    }
    uint64_t left = ~used;
    for (; number > 0; --number) left &= left - 1;
    return gpu::lowest_bit(left);
  }

  __device__ void clear_table() {
    for (int32_t i = thread_; i < kHaloTableSize; i += kHaloRows) shared_.keys[i] = -1;
    if (thread_ < kMostHaloOffsets) shared_.added[thread_][0] = shared_.added[thread_][1] = 0;
    if (thread_ < 2) shared_.counts[thread_] = 0;
    if (thread_ == 0) shared_.is_full = 0;
    gpu::sync_threads();
  }
  /// Notes a row that came with `offset` and returns where it stands. `tag`: the offset by which a
  /// round is cut, 0 where all go in one round; number_rows() takes tags below its end, added[]
  /// counts by tag and is read in rounds alone. The table is full where it finds no place in
  /// `most_tries`.
  __device__ int32_t insert(int32_t key, int32_t offset, int32_t tag, int most_tries) {
    uint32_t at = place_in_halo_table(key);
    for (int tries = 0; tries < most_tries; ++tries, at = (at + 1) % kHaloTableSize) {
      // Most rows are there already.
      const volatile int32_t* known = shared_.keys + at;
      int32_t there = *known;
      if (there == -1) there = gpu::atomic_cas(&shared_.keys[at], -1, key);
      if (there != -1 && there != key) continue;
      if (there == -1) {
        const int32_t own = color(offset);
        shared_.values[at] = static_cast<uint16_t>(tag * kHaloColors + own);
        if (tag == offset) gpu::atomic_add(&shared_.added[tag][own / kHaloLowColors], 1u);
      }
      return static_cast<int32_t>(at);
    }
    shared_.is_full = 1;
    return -1;
  }
  __device__ int32_t find(int32_t key) const {
    uint32_t at = place_in_halo_table(key);
    while (shared_.keys[at] != key) at = (at + 1) % kHaloTableSize;
    return static_cast<int32_t>(at);
  }

  /// Gives the table's rows with tags below `end` their slots, and counts them.
  __device__ void number_rows(int32_t end) {
    const uint64_t before = (uint64_t{1} << gpu::lane()) - 1;
    for (int32_t i = thread_; i < kHaloTableSize; i += kHaloRows) {
      const int32_t value = shared_.values[i];
      const bool numbered = shared_.keys[i] >= 0 && value / kHaloColors < end;
      const int32_t color = value % kHaloColors, parity = color / kHaloLowColors;
      const uint64_t even = gpu::ballot(numbered && parity == 0);
      const uint64_t odd = gpu::ballot(numbered && parity == 1);
      uint32_t first[2] = {0, 0};
      if (gpu::lane() == 0) {
        first[0] = gpu::atomic_add(&shared_.counts[0], static_cast<uint32_t>(gpu::popcount(even)));
        first[1] = gpu::atomic_add(&shared_.counts[1], static_cast<uint32_t>(gpu::popcount(odd)));
      }
      const uint32_t first_even = gpu::shuffle(first[0], 0), first_odd = gpu::shuffle(first[1], 0);
      const uint32_t rank = parity == 0
                                ? first_even + static_cast<uint32_t>(gpu::popcount(even & before))
                                : first_odd + static_cast<uint32_t>(gpu::popcount(odd & before));
      const int32_t slot = kHaloZeroSlots + 2 * static_cast<int32_t>(rank) + parity;
      shared_.values[i] =
          static_cast<uint16_t>(numbered ? slot * kHaloChunks + color % kHaloLowColors : kNoSlot);
    }
    gpu::sync_threads();
  }

  static constexpr int kFewTries = 64, kNoSlot = 0xFFFF;
  static_assert((kHaloZeroSlots + 2 * kHaloTableSize) * kHaloChunks < kNoSlot);

  const HaloWork& work_;
  HaloShared& shared_;
  int32_t* neighbors_;  // [kHaloRows, kernel_volume] rows, or where they stand in the table
  const int32_t thread_, group_;
  const int64_t first_;  // position of the tile's first row
  int32_t row_, position_;
  uint32_t color_;
  bool at_known_ = false;  // neighbors_ tell where rows stand
};

}  // namespace spb::maps
