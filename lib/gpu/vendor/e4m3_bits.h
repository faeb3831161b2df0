// SPDX-License-Identifier: Apache-2.0
// Conversions of e4m3 (core/storage.h) in integer arithmetic: instructions for it exist from sm_89
// on, and few other devices have them.
#pragma once

#include <cstdint>

#include "gpu/vendor/bit_cast.h"

namespace spb::gpu::vendor {

GPU_HOST_DEVICE inline float decode_e4m3(uint8_t bits) {
  // Scaling by 2^120 moves the exponent bias from 7 to 127 and normalizes subnormals.
  const uint32_t magnitude = bits & 0x7Fu;
  const float scaled = bit_cast<float>(magnitude << 20) * 0x1p120f;
  const uint32_t nan = magnitude == 0x7Fu ? 0x7FC00000u : 0u;
  return bit_cast<float>(bit_cast<uint32_t>(scaled) | nan | (bits & 0x80u) << 24);
}

/// Nearest even; what lies beyond 448 is 448, infinities too.
GPU_HOST_DEVICE inline uint8_t encode_e4m3(float value) {
  const uint32_t word = bit_cast<uint32_t>(value);
  const uint32_t given = word & 0x7FFFFFFFu;
  const uint32_t magnitude = given < 0x43E00000u ? given : 0x43E00000u;
  // An fp32 near 2^14 has the ulp of an e4m3 subnormal: the addition rounds to it.
  const uint32_t subnormal = bit_cast<uint32_t>(bit_cast<float>(magnitude) + 0x1p14f) - 0x46800000u;
  const uint32_t normal = ((magnitude + 0x7FFFFu + (magnitude >> 20 & 1u)) >> 20) - (120u << 3);
  uint32_t result = magnitude < 0x3C800000u ? subnormal : normal;
  if (given > 0x7F800000u) result = 0x7Fu;
  return static_cast<uint8_t>(result | (word >> 24 & 0x80u));
}

}  // namespace spb::gpu::vendor
