// SPDX-License-Identifier: Apache-2.0
// What a block does to build a halo: a table in shared memory where each input row of the
// tile is found once, rounds.
#pragma once

#include "gpu/atomic.cuh"
#include "gpu/launch.cuh"
#include "maps/halo/halo_colors.cuh"
#include "maps/halo/halo_parts.h"
#include "maps/orders/window_sort.cuh"
#include "maps/pairs/lane_sum.cuh"
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
  int32_t keys[kHaloTableSize];  // input rows, or -1
  // tag * kHaloColors + color; then the local index, or kNoSlot. Behind them those of absent rows,
  // by color: zeros in the banks that a row of this color would take.
  uint16_t values[kHaloTableSize + kHaloColors];
  HaloPlaces places[kHaloRows / HaloPlaces::kRows];  // that colors go by
  uint32_t masks[kHaloGroups];
  uint32_t steps[kMostHaloOffsets];             // what offsets add to a color
  uint64_t of_color[kHaloGroups][kHaloColors];  // rows of a group
  uint64_t others[kHaloGroups];                 // rows of a group, not the first of their color
  uint32_t added[kMostHaloOffsets][2];          // rows that an offset brought, by parity
  uint32_t numbered;                            // rows so far, those of odd parity times kOdd
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
    gpu::sync_threads();
    stage_neighbors();
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
    // Of a submanifold map the middle leads from rows to themselves, most of what others lead to.
    const int32_t volume = work_.kernel_volume, middle = volume / 2;
    if (const int32_t key = neighbor(middle); key >= 0) insert(key, middle, 0, kFewTries);
    gpu::sync_threads();
    uint32_t unknown = 0;  // offsets
    int32_t o = 0;
    for (; o + kSought <= volume; o += kSought) unknown |= seek<kSought>(o);
    for (; o < volume; ++o) unknown |= seek<1>(o);
    for (; unknown != 0; unknown &= unknown - 1) {
      const int32_t left = gpu::lowest_bit(unknown);
      neighbor(left) = insert(neighbor(left), left, 0, kFewTries);
    }
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
    const int32_t most = numbered(0) > numbered(1) ? numbered(0) : numbered(1);
    return (kHaloZeroSlots + 2 * most + 3) / 4 * 4;
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
      if (i < kHaloZeroSlots || rank >= numbered(i % 2)) slots[i] = HaloLists::kNoRow;
    }
  }
  /// Of the row's neighbor through an offset of the round. Of an absent one the zeros in the banks
  /// that its color would take.
  __device__ uint16_t local(int32_t offset) {
    const int32_t there = neighbor(offset);
    if (at_known_) return shared_.values[there];
    return shared_.values[there < 0 ? kHaloTableSize + color(offset) : find(there)];
  }

 private:
  __device__ uint32_t& own_place() {
    return shared_.places[thread_ / HaloPlaces::kRows].of[thread_ % HaloPlaces::kRows];
  }
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
    const auto place = [&](int32_t coordinate, int axis) {
      const int32_t times = coordinate * g.multiplier[axis];
      return g.divisor[axis] == 1 ? times : times / g.divisor[axis];
    };
    own_place() = row_ < 0 ? 0 : packed_place(place(c.x, 0), place(c.y, 1), place(c.z, 2));
  }

  /// As many lanes as a row has entries at most read row after row of their own; the mask of these
  /// comes with them.
  __device__ void stage_neighbors() {
    constexpr int kLanes = kMostHaloOffsets, kRows = 8;  // rows under way together
    static_assert(kHaloGroupRows % kLanes == 0 && kLanes % kRows == 0);
    const int32_t kv = work_.kernel_volume;
    const int32_t first_lane = gpu::lane() / kLanes * kLanes, number = gpu::lane() - first_lane;
    // Lanes beyond the last entry do as the one that has it: steps without a condition are half as
    // many.
    const int32_t offset = number < kv ? number : kv - 1;
    const auto* entry = reinterpret_cast<const char*>(work_.map + offset);
    const auto row_bytes = static_cast<uint32_t>(kv) * static_cast<uint32_t>(sizeof(int32_t));
    int32_t* staged = neighbors_ + (thread_ - number) * kv + offset;
    uint64_t found = 0;
    for (int32_t i = 0; i < kLanes; i += kRows) {
      int32_t rows[kRows], entries[kRows];
      unrolled<kRows>([&](auto j) {
        rows[j.value] = gpu::shuffle(row_, first_lane + i + j.value);
        const auto row = static_cast<uint32_t>(rows[j.value] < 0 ? 0 : rows[j.value]);
        entries[j.value] =
            *reinterpret_cast<const int32_t*>(entry + gpu::multiply_wide(row, row_bytes));
      });
      unrolled<kRows>([&](auto j) {
        const int32_t value = rows[j.value] < 0 ? -1 : entries[j.value];
        *staged = value;
        staged += kv;
        found |= gpu::ballot(value >= 0);
      });
    }
    gpu::sync_warp();
    const auto masks = static_cast<uint32_t>(found >> first_lane);
    const auto offsets = static_cast<uint32_t>((uint64_t{1} << kv) - 1);
    if (number == 0) gpu::atomic_or(&shared_.masks[group_], masks & offsets);
  }

  /// The rule by which the most frequent colors of the groups are rarest; the first of several.
  __device__ void choose_rule() {
    static_assert(HaloColorRule::kRules * kHaloGroups == kHaloRows);
    const auto number = static_cast<uint32_t>(thread_ % HaloColorRule::kRules);
    const int32_t group = thread_ / HaloColorRule::kRules;
    const int64_t left = work_.n - first_ - group * kHaloGroupRows;
    const HaloColorRule tried(number);
    const uint32_t most = most_of_a_color(tried, shared_.places + group * kHaloGroupPlaces, left);
    gpu::atomic_add(&shared_.costs[number], most);
    gpu::sync_threads();
    if (thread_ < HaloColorRule::kRules)
      gpu::atomic_min(&shared_.best_rule, shared_.costs[number] * HaloColorRule::kRules + number);
    gpu::sync_threads();
    const HaloColorRule rule(shared_.best_rule % HaloColorRule::kRules);
    color_ = rule.of(own_place());
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
    unrolled<kOfTable>([&](auto j) { shared_.keys[thread_ + j.value * kHaloRows] = -1; });
    if (thread_ < kMostHaloOffsets) shared_.added[thread_][0] = shared_.added[thread_][1] = 0;
    static_assert(kHaloLowColors == kHaloChunks);  // slot color / 4, low color color % 4
    if (thread_ < kHaloColors)
      shared_.values[kHaloTableSize + thread_] = static_cast<uint16_t>(thread_);
    if (thread_ == 0) shared_.numbered = shared_.is_full = 0;
    gpu::sync_threads();
  }
  /// The key at a place of the table, as other threads may have written it meanwhile.
  __device__ int32_t known_at(int32_t at) const {
    const volatile int32_t* known = shared_.keys + at;
    return *known;
  }
  /// Replaces neighbors through kCount offsets by their places in the table, or those of zeros.
  /// Returns the offsets of those that are not where they are looked for first.
  template <int kCount>
  __device__ uint32_t seek(int32_t begin) {
    int32_t keys[kCount], at[kCount], there[kCount];
    unrolled<kCount>([&](auto j) {
      keys[j.value] = neighbor(begin + j.value);
      at[j.value] = static_cast<int32_t>(place_in_halo_table(keys[j.value]));
      there[j.value] = known_at(at[j.value]);
    });
    uint32_t unknown = 0;
    unrolled<kCount>([&](auto j) {
      const int32_t o = begin + j.value, key = keys[j.value];
      const bool is_absent = key < 0, is_known = is_absent || there[j.value] == key;
      const int32_t place = is_absent ? kHaloTableSize + color(o) : at[j.value];
      neighbor(o) = is_known ? place : key;
      unknown |= static_cast<uint32_t>(!is_known) << o;
    });
    return unknown;
  }
  /// Notes a row that came with `offset` and returns where it stands. `tag`: the offset by which a
  /// round is cut, 0 where all go in one round; number_rows() takes tags below its end, added[]
  /// counts by tag and is read in rounds alone. The table is full where it finds no place in
  /// `most_tries`.
  __device__ int32_t insert(int32_t key, int32_t offset, int32_t tag, int most_tries) {
    uint32_t at = place_in_halo_table(key);
    for (int tries = 0; tries < most_tries; ++tries, at = (at + 1) % kHaloTableSize) {
      int32_t there = known_at(static_cast<int32_t>(at));  // most rows are there already
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
    uint32_t ones[kOfTable], colors[kOfTable], own = 0;
    unrolled<kOfTable>([&](auto j) {
      const int32_t i = thread_ + j.value * kHaloRows, value = shared_.values[i];
      const bool is_numbered = shared_.keys[i] >= 0 && value / kHaloColors < end;
      colors[j.value] = static_cast<uint32_t>(value % kHaloColors);
      const uint32_t one = colors[j.value] / kHaloLowColors == 0 ? 1 : kOdd;
      ones[j.value] = is_numbered ? one : 0;
      own += ones[j.value];
    });
    const uint32_t up_to = sum_lanes(own);
    const int last = gpu::warp_size() - 1;
    uint32_t before = 0;
    if (gpu::lane() == last) before = gpu::atomic_add(&shared_.numbered, up_to);
    before = gpu::shuffle(before, last) + up_to - own;
    unrolled<kOfTable>([&](auto j) {
      const uint32_t parity = colors[j.value] / kHaloLowColors;
      const uint32_t rank = parity == 0 ? before % kOdd : before / kOdd;
      const uint32_t slot = kHaloZeroSlots + 2 * rank + parity;
      shared_.values[thread_ + j.value * kHaloRows] = static_cast<uint16_t>(
          ones[j.value] != 0 ? slot * kHaloChunks + colors[j.value] % kHaloLowColors : kNoSlot);
      before += ones[j.value];
    });
    gpu::sync_threads();
  }
  /// Rows of a parity that have slots.
  __device__ int32_t numbered(int32_t parity) const {
    return static_cast<int32_t>(parity == 0 ? shared_.numbered % kOdd : shared_.numbered / kOdd);
  }

  static constexpr int kFewTries = 64, kNoSlot = 0xFFFF;
  static constexpr int kSought = 3;  // offsets whose rows are looked for at once
  static constexpr int kOfTable = kHaloTableSize / kHaloRows;  // places for each thread
  static constexpr uint32_t kOdd = 1 << 16;
  static_assert(kHaloTableSize < kOdd);
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
