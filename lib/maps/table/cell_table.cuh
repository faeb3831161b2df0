// SPDX-License-Identifier: Apache-2.0
// The hash table of cells. A slot has a key, the voxels that are there as bits, and where their
// rows begin in an array ordered by (cell, bit): the row of a bit is as far behind as there are
// lower bits. It is NanoVDB's leaf node behind a hash table (K. Museth, "NanoVDB", 2021).
#pragma once

#include "maps/table/cells.h"
#include "maps/table/hash_table.cuh"

namespace spb::maps {

/// A key, all ones for none, and bits. With keys of 32 bits where the rows begin fits beside them,
/// so that one load of 16 bytes finds all.
template <class Key>
struct alignas(16) CellSlot;

template <>
struct alignas(16) CellSlot<uint32_t> {
  uint32_t key = kEmptyKey<uint32_t>, begin = 0;
  uint64_t bits = 0;
};
template <>
struct alignas(16) CellSlot<uint64_t> {
  uint64_t key = kEmptyKey<uint64_t>, bits = 0;
};

/// Of a cell that is not there: no bits.
struct Cell {
  uint64_t bits = 0;
  uint32_t begin = 0;
};

/// The voxel's bit in its cell, of positions in the cell or behind it.
__device__ inline uint32_t bit_in_cell(int32_t x, int32_t y, int32_t z) {
  constexpr int32_t kLast = kCellEdge - 1;
  return static_cast<uint32_t>(((x & kLast) * kCellEdge + (y & kLast)) * kCellEdge + (z & kLast));
}

template <class Key>
struct CellTableRef {
  using Slot = CellSlot<Key>;
  static constexpr bool kBeginsApart = sizeof(Key) > sizeof(uint32_t);
  DeviceBox cells;
  Slot* slots;       // [last + 1], and one more, whose bits count the rows that have a place
  uint32_t* begins;  // [last + 1] where they are kept apart
  Key last;

  static int64_t cleared_slots(int64_t capacity) { return capacity + 1; }
  static int64_t words(int64_t capacity) {
    return 2 * cleared_slots(capacity) + (kBeginsApart ? (capacity + 1) / 2 : 0);
  }
  CellTableRef(const Box& box, uint64_t* memory, int64_t capacity)
      : cells(box),
        slots(reinterpret_cast<Slot*>(memory)),
        begins(reinterpret_cast<uint32_t*>(memory + 2 * cleared_slots(capacity))),
        last(static_cast<Key>(capacity - 1)) {}

  uint32_t* placed_rows() const {
    return reinterpret_cast<uint32_t*>(&slots[static_cast<int64_t>(last) + 1].bits);
  }
  __device__ Key key(const Coord& p) const {
    return cells.key<Key>(p.batch, p.x >> kCellShift, p.y >> kCellShift, p.z >> kCellShift);
  }
  /// Of a voxel in the box.
  __device__ Inserted insert(const Coord& p) const {
    const Key key_of_cell = key(p);
    const uint64_t bit = uint64_t{1} << bit_in_cell(p.x, p.y, p.z);
    Key slot = home_slot(key_of_cell, last);
    for (Key tried = 0;; ++tried) {
      const Key old = gpu::atomic_cas(&slots[slot].key, kEmptyKey<Key>, key_of_cell);
      if (old == kEmptyKey<Key> || old == key_of_cell)
        return gpu::atomic_or(&slots[slot].bits, bit) & bit ? Inserted::repeated : Inserted::fresh;
      if (tried == last) return Inserted::full;
      slot = next_slot(slot, last);
    }
  }
  __device__ uint32_t begin(const Slot& loaded, Key slot) const {
    if constexpr (kBeginsApart)
      return begins[slot];
    else
      return loaded.begin;
  }
  __device__ void set_begin(Key slot, uint32_t begin) const {
    if constexpr (kBeginsApart)
      begins[slot] = begin;
    else
      slots[slot].begin = begin;
  }
  /// Of a key whose home slot is loaded.
  __device__ Cell find(Key key_of_cell, Slot loaded) const {
    Key slot = home_slot(key_of_cell, last);
    for (Key tried = 0; loaded.key != kEmptyKey<Key>; ++tried) {
      if (loaded.key == key_of_cell) return {loaded.bits, begin(loaded, slot)};
      if (tried == last) break;
      slot = next_slot(slot, last);
      loaded = slots[slot];
    }
    return {};
  }
};

}  // namespace spb::maps
