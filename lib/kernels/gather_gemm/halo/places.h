// SPDX-License-Identifier: Apache-2.0
// Where threads of the halo kernel write to and read from shared memory: numbers alone, which tests
// walk on any machine.
#pragma once

#include <cstdint>

#include "gpu/mma/swizzle.h"
#include "maps/halo/halo.h"

namespace spb::plans {

struct HaloPlaces {
  static constexpr int kChunks = maps::kHaloChunks, kChunkBytes = 16;
  static constexpr int kRowBytes = kChunks * kChunkBytes;

  /// A chunk of row `row` of a matrix of weights, row i of all of them.
  static constexpr uint32_t weights(uint32_t base, int i, int row, int chunk) {
    return base + i * kRowBytes + gpu::sm80::swizzled(row, chunk, kChunks) * 16;
  }
  /// A chunk of a slot whose list entry is `entry`: its low bits are those of the row's color.
  static constexpr uint32_t slot(uint32_t halo, int slot, int chunk, uint32_t entry) {
    return halo + slot * kRowBytes + ((chunk ^ (entry & 3)) << 4);
  }
  /// What a lane gives ldmatrix of the row at a local index (HaloLists::local). Slots are 64-byte
  /// aligned, so that the xor stays within one.
  static constexpr uint32_t row(uint32_t halo, uint32_t local, uint32_t chunk) {
    return halo + ((local ^ chunk) << 4);
  }
};

}  // namespace spb::plans
