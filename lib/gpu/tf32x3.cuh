// SPDX-License-Identifier: Apache-2.0
// Operands of 3xtf32 as two of tf32, whatever multiplies them. The error: core/dtype.cpp.
#pragma once

#include <cmath>
#include <cstdint>

#include "gpu/runtime.h"
#include "gpu/vendor/bit_cast.h"

namespace spb::gpu {

struct Tf32Parts {
  float high;  ///< of 11 significant bits: nearest, ties away from zero
  float low;   ///< the exact rest, of whose 12 bits tensor cores ignore the last
};

/// An infinity is split into +-1 and itself, so that no zero and no rest of the other operand meets
/// it: sums are infinite or NaN where those of fp32 are. Finite values that round beyond the
/// finite, from (2 - 2^-11) 2^127 on, share that way and keep 11 bits. A sum that overflows may be
/// NaN where fp32 has an infinity, because parts differ in sign. Five instructions.
__device__ inline Tf32Parts split_tf32x3(float value) {
  constexpr uint32_t kHighBits = 0xFFFFE000u, kHighBitsNearOne = 0xBFFFE000u;
  const uint32_t kept = fabsf(value) < 0x1.ffep127f ? kHighBits : kHighBitsNearOne;
  const float high = vendor::bit_cast<float>((vendor::bit_cast<uint32_t>(value) + 0x1000) & kept);
  return {high, value - high};
}

}  // namespace spb::gpu
