// SPDX-License-Identifier: Apache-2.0
// Where consumers read rows of A by ldmatrix, of tf32 and 3xtf32, and rows of the residual: numbers
// alone, which tests walk on any machine. Other operands are read by wgmma itself.
#pragma once

#include <cstdint>

#include "gpu/mma/swizzle.h"

namespace spb::plans {

struct WgmmaTf32Reads {
  /// Of the warpgroup's 64, the row that thread t of it, a lane of its warp, addresses.
  static constexpr int row(int t, int lane) { return t / 32 * 16 + lane % 16; }
  /// Its 16 bytes for the k-th instruction of a step. `own`: where the row begins.
  static constexpr uint32_t chunk(uint32_t own, int row, int lane, int k) {
    return own + gpu::sm80::swizzled(row, 2 * k + lane / 16, 8) * 16;
  }
};

/// A residual's stage has 128 bytes of each row, in the places of A's. Thread t of a warpgroup
/// reads the two neighbors of its row that it has sums of, in each group of eight columns.
template <int ElementBytes>
struct WgmmaResidualReads {
  static constexpr int kGroupBytes = 8 * ElementBytes, kGroups = 128 / kGroupBytes;
  /// Where row r and its neighbor would meet in banks, odd rows read groups i ^ kTraded in turn i.
  static constexpr int kTraded = ElementBytes == 4 ? 2 : 0;
  static constexpr bool trades(int t) { return kTraded > 0 && t / 4 % 2 == 1; }
  /// Of half 0 and group 0, from where the warpgroup's 64 rows begin on.
  static constexpr uint32_t first(int t) {
    const int row = t / 32 * 16 + t % 32 / 4, byte = t % 4 * 2 * ElementBytes;
    return (gpu::sm80::swizzled_128(row, byte / 16) + byte % 16) ^
           (trades(t) ? kTraded * kGroupBytes : 0);
  }
  /// In turn i. `own`: first() in the stage.
  static constexpr uint32_t pair(uint32_t own, int half, int i) {
    return (own ^ static_cast<uint32_t>(i * kGroupBytes)) + half * 8 * 128;
  }
};

}  // namespace spb::plans
