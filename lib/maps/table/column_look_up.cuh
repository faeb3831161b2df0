// SPDX-License-Identifier: Apache-2.0
// Looking up keys that follow one another along z. A load brings two slots: the first ones of an
// even key and the next, which stand side by side (hash_table.cuh).
#pragma once

#include "maps/pairs/unrolled.cuh"
#include "maps/table/hash_table.cuh"

namespace spb::maps {

inline constexpr int kColumnKeys = 3;       // offsets of a column along z
inline constexpr int kColumnsTogether = 5;  // columns of a thread under way at once

/// Of a table of two slots or more.
template <class Key>
class ColumnLookUp {
 public:
  using Entry = typename RowTableRef<Key>::Entry;

  /// Loads the first slots of keys `first` to first + kColumnKeys - 1, whatever they hold.
  __device__ void start(const RowTableRef<Key>& table, Key first) {
    first_ = first;
    unrolled<kPairs>([&](auto p) {
      slots_[p.value] = home_slot((first & ~Key{1}) + 2 * p.value, table.last);
      pairs_[p.value] = table.load_pair(slots_[p.value] & ~Key{1});
    });
  }
  template <int i>
  __device__ Key key() const {
    return first_ + i;
  }
  /// Of key first + i.
  template <int i>
  __device__ Entry entry() const {
    return is_odd() ? of_place<i + 1>() : of_place<i>();
  }
  template <int i>
  __device__ Key slot() const {
    return is_odd() ? slot_of_place<i + 1>() : slot_of_place<i>();
  }

 private:
  static constexpr int kPairs = kColumnKeys / 2 + 1;

  __device__ bool is_odd() const { return (first_ & 1) != 0; }

  template <int place>
  __device__ Key slot_of_place() const {
    return slots_[place / 2] ^ (place % 2);
  }
  template <int place>
  __device__ Entry of_place() const {
    const TwoEntries<Entry>& pair = pairs_[place / 2];
    return (slot_of_place<place>() & 1) != 0 ? pair.second : pair.first;
  }

  Key first_;
  Key slots_[kPairs];  // of even keys
  TwoEntries<Entry> pairs_[kPairs];
};

}  // namespace spb::maps
