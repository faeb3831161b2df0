// SPDX-License-Identifier: Apache-2.0
// Where a tile's halo lies in shared memory, of all kernels that read one (maps/halo/halo.h):
// numbers alone, which tests walk on any machine.
#pragma once

#include <cstdint>

#include "maps/halo/halo.h"

namespace spb::plans {

struct HaloPlaces {
  static constexpr int kChunks = maps::kHaloChunks, kChunkBytes = 16;
  static constexpr int kRowBytes = kChunks * kChunkBytes;

  /// A chunk of a slot whose list entry is `entry`: its low bits are those of the row's color.
  static constexpr uint32_t slot(uint32_t halo, int slot, int chunk, uint32_t entry) {
    return halo + slot * kRowBytes + ((chunk ^ (entry & 3)) << 4);
  }
  /// What a lane gives ldmatrix of the row at a local index (HaloLists::local). Slots are 64-byte
  /// aligned, so that the xor stays within one.
  static constexpr uint32_t row(uint32_t halo, uint32_t local, uint32_t chunk) {
    return halo + ((local ^ chunk) << 4);
  }
  /// Local indices below it lead to slots of zeros, as those of absent rows do.
  static constexpr uint32_t kFirstRow = 2 * kChunks;
  /// Of an offset of a group: local indices.
  static constexpr int kEntryBytes = maps::kHaloGroupRows * int{sizeof(uint16_t)};
};

}  // namespace spb::plans
