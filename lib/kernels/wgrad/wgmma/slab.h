// SPDX-License-Identifier: Apache-2.0
// Where lanes write sums of wgrad's warpgroup kernels to shared memory and read them back: numbers
// alone, which tests walk on any machine.
#pragma once

#include <cstdint>

namespace spb::plans {

/// Of a warp: 16 rows by 64 columns of 16-bit sums.
struct WgmmaSlab {
  static constexpr int kRows = 16, kColumns = 64;
  // A little more than their bytes: neither eight rows' chunks nor a row's meet in a bank.
  static constexpr int kPitchBytes = kColumns * 2 + 16;
  static constexpr int kBytes = kRows * kPitchBytes;

  /// What the lane gives stmatrix: a row of 16 bytes.
  static constexpr uint32_t to(uint32_t slab, int lane) {
    return slab + lane % 16 * kPitchBytes + lane / 16 * 16;
  }
  /// The first of the chunks that the lane reads, eight side by side of a row.
  static constexpr uint32_t from(uint32_t slab, int lane) {
    return slab + lane / 8 * kPitchBytes + lane % 8 * 16;
  }
};

}  // namespace spb::plans
