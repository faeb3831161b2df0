// SPDX-License-Identifier: Apache-2.0
// Which offsets a warp of the halo kernel of wgrad has, and where rows of gout lie in shared
// memory: numbers alone, which tests walk on any machine.
#pragma once

#include <cstdint>

#include "gpu/mma/swizzle.h"

namespace spb::plans {

struct HaloWgradPlaces {
  static constexpr int kWarps = 16, kOffsetsOfWarp = 2;
  static constexpr int kMostOffsets = 27, kNone = 31;  ///< kNone: of no mask
  static constexpr int kHeaderRing = 4;                ///< headers of tiles in shared memory

  /// The i-th offset of a warp. Of 3 x 3 x 3, so that warps have about the same number of pairs:
  /// the center, which every row has, is alone, the six beside it go with corners, and edges are
  /// spread.
  static constexpr int offset(int kernel_volume, int warp, int i) {
    constexpr int8_t kOf27[kWarps][kOffsetsOfWarp] = {
        {13, kNone}, {4, 0},      {10, 2},     {12, 6},    {14, 8},  {16, 18},
        {22, 20},    {1, 3},      {5, 7},      {9, 11},    {15, 24}, {17, 26},
        {19, kNone}, {21, kNone}, {23, kNone}, {25, kNone}};
    if (kernel_volume == kMostOffsets) return kOf27[warp][i];
    const int own = warp + i * kWarps;
    return own < kernel_volume ? own : kNone;
  }

  /// A chunk of 16 bytes of a tile's row of gout, which have Chunks each.
  template <int Chunks>
  static constexpr uint32_t gout(uint32_t base, int row, int chunk) {
    return base + (row * Chunks + gpu::sm80::swizzled(row, chunk, Chunks)) * 16;
  }
  /// What a lane gives ldmatrix.x4 of 16 rows from `row` on, for operand A of mma.sync, turned: 16
  /// channels from 16 m on.
  template <int Chunks>
  static constexpr uint32_t operand_a(uint32_t base, int row, int lane, int m) {
    return gout<Chunks>(base, row + lane / 16 * 8 + lane % 8, 2 * m + lane / 8 % 2);
  }
};

}  // namespace spb::plans
