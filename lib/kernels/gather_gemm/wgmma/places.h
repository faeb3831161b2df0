// SPDX-License-Identifier: Apache-2.0
// Where consumers of tf32 tiles read rows of A by ldmatrix: numbers alone, which tests walk on any
// machine. Other operands are read by wgmma itself.
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

}  // namespace spb::plans
