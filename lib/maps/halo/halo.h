// SPDX-License-Identifier: Apache-2.0
// Halos: the input rows that a tile of neighboring output rows reaches, each listed once.
//
// A tile has kHaloRows consecutive rows of an order, in groups of kHaloGroupRows, each with its own
// offsets. A kernel brings the halo into shared memory once and reads it there by local indices,
// instead of gathering a row for each of its neighbors: on surfaces 1.6 rows are read for each row
// written where there are 13 pairs. Tiles whose halo does not fit in kHaloSlots take their
// offsets in several rounds, each with a halo of its own.
//
// ldmatrix reads eight rows at a time, 16 bytes of each, without conflict if the eight lie in
// different ones of the eight 16-byte bank groups. Each input row has a color from 0 to 7, by its
// coordinates: color / 4 is the parity of its slot, color % 4 is xored to the number of each of its
// chunks of 16 bytes, so that chunk c lies in bank group 4 (color / 4) + (c ^ color % 4), and rows
// of different colors never conflict. Colors are linear in the coordinates: rows of different
// colors have neighbors of different colors through each offset. So each aligned run of eight
// positions of a group holds rows of different colors, as far as it can.
#pragma once

#include <cstdint>

#include "core/coords.h"
#include "gpu/buffer.h"

namespace spb::maps {

inline constexpr int kHaloRows = 256, kHaloGroupRows = 64, kHaloGroups = kHaloRows / kHaloGroupRows;
/// Of shared memory. Two hold zeros, one of each parity: a local index of an absent row leads
/// there. A round takes 2 + 2 (rows of the more frequent parity), rounded up to 4; slots of the
/// rarer parity may stay empty.
inline constexpr int kHaloSlots = 640;
/// Of a slot: 64 bytes.
inline constexpr int kHaloChunks = 4;
/// Offsets that fit a group's mask.
inline constexpr int kMostHaloOffsets = 32;
/// Numbers before the slots of a round that is not the first.
inline constexpr int kHaloRoundHeader = 4;

/// A tile and its first round. 64 bytes, so that four loads bring it.
struct alignas(64) HaloTile {
  int64_t slots_begin = 0;  ///< into HaloLists::slots
  int64_t more_begin = 0;   ///< into HaloLists::more, of a tile in rounds
  /// Into HaloLists::local, in entries of kHaloGroupRows: group 0's first offset.
  int64_t local_begin = 0;
  int32_t slot_count = 0;  ///< of the first round, a multiple of 4
  int32_t offset_end = 0;  ///< of the first round: the first offset that it leaves to the next
  uint32_t masks[kHaloGroups] = {};  ///< offsets of each group, of all rounds
  int32_t unused[4] = {};
};

struct HaloLists {
  gpu::Buffer<HaloTile> tiles;
  /// Of the first rounds, [tiles, kHaloSlots]: (input row) << 2 | (the low bits of its color), or
  /// kNoRow. The first two of a round are none: zeros.
  gpu::Buffer<uint32_t> slots;
  /// Of each further round a kHaloRoundHeader: its slot_count, its offset_end, two numbers that
  /// keep the slots at multiples of 16 bytes; then its slots.
  gpu::Buffer<uint32_t> more;
  /// [tiles, kHaloGroups * kernel_volume, kHaloGroupRows], a tile's entries at its start, group by
  /// group, offsets of its mask ascending: slot * kHaloChunks + the low bits of its row's color,
  /// for each position of a group; chunk c of the row lies at this, xor c.
  gpu::Buffer<uint16_t> local;
  static constexpr uint32_t kNoRow = ~uint32_t{0};
  /// Input rows that slots can name; one more, of the highest low bits of a color, would be kNoRow.
  static constexpr int64_t kMostRows = (int64_t{1} << 30) - 1;
};

}  // namespace spb::maps
