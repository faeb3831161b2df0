// SPDX-License-Identifier: Apache-2.0
// Where weights lie in shared memory beside a halo: numbers alone, which tests walk on any machine.
#pragma once

#include <cstdint>

#include "gpu/mma/swizzle.h"
#include "kernels/common/halo_places.h"

namespace spb::plans {

struct HaloWeightPlaces {
  /// Chunk `c` of row `row` of a matrix of weights, row i of all of them, which have Chunks each.
  template <int Chunks>
  static constexpr uint32_t chunk(uint32_t base, int i, int row, int c) {
    return base + (i * Chunks + gpu::sm80::swizzled(row, c, Chunks)) * HaloPlaces::kChunkBytes;
  }

  /// What a lane gives ldmatrix.x4 of a square matrix of weights, for operand B of mma.sync: 8
  /// columns by 8 of depth at a time, Octets of them for each 8 columns; the four begin with column
  /// tile `column_tile` of 8. A row is a column's depth or, Transposed, all columns of a depth.
  template <bool Transposed, int Octets>
  static constexpr uint32_t operand_b(uint32_t matrix, int lane, int column_tile) {
    const int octet = lane / 8 % Octets, columns = column_tile + lane / 8 / Octets;
    const int row = (Transposed ? octet : columns) * 8 + lane % 8;
    return chunk<Octets>(matrix, row, row, Transposed ? columns : octet);
  }
};

}  // namespace spb::plans
