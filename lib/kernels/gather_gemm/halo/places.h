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

  /// A chunk of row `row` of a matrix of weights, row i of all of them, which have Chunks each.
  template <int Chunks = kChunks>
  static constexpr uint32_t weights(uint32_t base, int i, int row, int chunk) {
    return base + (i * Chunks + gpu::sm80::swizzled(row, chunk, Chunks)) * kChunkBytes;
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
  /// Local indices below it lead to zeros.
  static constexpr uint32_t kFirstRow = 2 * kChunks;

  /// What a lane gives ldmatrix.x4 of a square matrix of weights, for operand B of mma.sync: 8
  /// columns by 8 of depth at a time, Octets of them for each 8 columns; the four begin with column
  /// tile `column_tile` of 8. A row is a column's depth or, Transposed, all columns of a depth.
  template <bool Transposed, int Octets>
  static constexpr uint32_t operand_b(uint32_t matrix, int lane, int column_tile) {
    const int octet = lane / 8 % Octets, columns = column_tile + lane / 8 / Octets;
    const int row = (Transposed ? octet : columns) * 8 + lane % 8;
    return weights<Octets>(matrix, row, row, Transposed ? columns : octet);
  }
};

}  // namespace spb::plans
