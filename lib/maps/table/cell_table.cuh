// SPDX-License-Identifier: Apache-2.0
// The hash table of cells. A slot has a key and the voxels that are there as bits; their rows lie
// in an array of 64 for each slot, by the same bits, so that a row is put in its place as soon as
// its bit is set, and four neighbors along z are one load. It is NanoVDB's leaf node behind a hash
// table (K. Museth, "NanoVDB", 2021).
#pragma once

#include "gpu/launch.cuh"
#include "maps/pairs/chunk.h"
#include "maps/table/cells.h"
#include "maps/table/hash_table.cuh"

namespace spb::maps {

/// A key, all ones for none, and bits: one load of 16 bytes finds both. Keys of 32 bits leave the
/// rest of theirs zero.
struct alignas(16) CellSlot {
  uint64_t key = kEmptyKey<uint64_t>, bits = 0;
};

/// Half of a cell that was found: bits of one word, none of a cell that is not there, and where the
/// rows of the cell's columns begin.
struct alignas(8) HalfCell {
  uint32_t bits, columns;

  /// The bits of the column in a place, lowest.
  __device__ uint32_t column(uint32_t place) const {
    return bits >> place % (kCellColumns / 2) * kCellEdge;
  }
};
struct alignas(16) FoundCell {
  HalfCell halves[2];

  /// Of a column's place in the cell.
  __device__ HalfCell half(uint32_t place) const { return halves[place / (kCellColumns / 2)]; }
};

/// The voxel's bit in its cell, of positions in the cell or behind it.
__device__ inline uint32_t bit_in_cell(uint32_t x, uint32_t y, uint32_t z) {
  constexpr uint32_t kLast = kCellEdge - 1;
  return ((x & kLast) * kCellEdge + (y & kLast)) * kCellEdge + (z & kLast);
}

template <class Key>
struct CellTableRef {
  DeviceBox cells;
  CellSlot* slots;  // [last + 1]
  FourRows* rows;   // [last + 1, kCellColumns]; set where a bit is
  Key last;

  __device__ static uint32_t columns(Key slot) {
    return static_cast<uint32_t>(slot) * kCellColumns;
  }
  /// Of a voxel in the box.
  __device__ Inserted insert(const Coord& p, uint32_t row) const {
    const Key key =
        cells.key<Key>(p.batch, p.x >> kCellShift, p.y >> kCellShift, p.z >> kCellShift);
    Key slot = home_slot(key, last);
    for (Key tried = 0;; ++tried) {
      const uint64_t old = gpu::atomic_cas(&slots[slot].key, kEmptyKey<uint64_t>, uint64_t{key});
      if (old == kEmptyKey<uint64_t> || old == key) break;
      if (tried == last) return Inserted::full;
      slot = next_slot(slot, last);
    }
    const uint32_t bit = bit_in_cell(static_cast<uint32_t>(p.x), static_cast<uint32_t>(p.y),
                                     static_cast<uint32_t>(p.z));
    const uint64_t mask = uint64_t{1} << bit;
    if (gpu::atomic_or(&slots[slot].bits, mask) & mask) return Inserted::repeated;
    rows[columns(slot) + bit / kCellEdge].rows[bit % kCellEdge] = static_cast<int32_t>(row);
    return Inserted::fresh;
  }
  /// Of a key whose home slot is loaded.
  __device__ FoundCell find(Key key, Key slot, CellSlot loaded) const {
    for (Key tried = 0; static_cast<Key>(loaded.key) != kEmptyKey<Key>; ++tried) {
      if (static_cast<Key>(loaded.key) == key) {
        const uint32_t first = columns(slot);
        return {{{static_cast<uint32_t>(loaded.bits), first},
                 {static_cast<uint32_t>(loaded.bits >> 32), first}}};
      }
      if (tried == last) break;
      slot = next_slot(slot, last);
      loaded = slots[slot];
    }
    return {};
  }
};

}  // namespace spb::maps
