// SPDX-License-Identifier: Apache-2.0
// Unique voxels in the order of their first appearance.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/coords.h"

namespace spb::data {

/// The finaliser of SplitMix64: every input bit reaches every output bit.
constexpr uint64_t splitmix64_finalise(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// An open-addressing set whose slots hold row numbers, 4 bytes each, beside the rows themselves.
class CoordSet {
 public:
  explicit CoordSet(size_t expected_rows = 0) {
    rows_.reserve(expected_rows);
    rehash(std::bit_ceil(expected_rows + expected_rows / 2 + 16));
  }

  /// The row of `coord`, and whether it is new.
  std::pair<size_t, bool> insert(const Coord& coord) {
    if (rows_.size() * 4 >= slots_.size() * 3) rehash(slots_.size() * 2);
    uint32_t& slot = slots_[find(coord)];
    if (slot != kFree) return {slot, false};
    slot = static_cast<uint32_t>(rows_.size());
    rows_.push_back(coord);
    return {slot, true};
  }

  bool contains(const Coord& coord) const { return slots_[find(coord)] != kFree; }

  std::vector<Coord> take() && { return std::move(rows_); }

 private:
  static constexpr uint32_t kFree = 0xffffffff;

  size_t find(const Coord& coord) const {
    const auto word = [](int32_t high, int32_t low) {
      return uint64_t{static_cast<uint32_t>(high)} << 32 | static_cast<uint32_t>(low);
    };
    const uint64_t hash = splitmix64_finalise(word(coord.x, coord.y) * 0x9e3779b97f4a7c15u +
                                              word(coord.batch, coord.z));
    size_t slot = hash & (slots_.size() - 1);
    while (slots_[slot] != kFree && rows_[slots_[slot]] != coord)
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  void rehash(size_t slot_count) {
    slots_.assign(slot_count, kFree);
    for (size_t row = 0; row < rows_.size(); ++row)
      slots_[find(rows_[row])] = static_cast<uint32_t>(row);
  }

  std::vector<Coord> rows_;
  std::vector<uint32_t> slots_;  ///< a power of two, at least a quarter free
};

}  // namespace spb::data
