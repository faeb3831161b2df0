// SPDX-License-Identifier: Apache-2.0
// Conversions of f16, bf16, tf32 and i8 in integer arithmetic, or by plain additions, for vendors
// without an instruction. Branch-light, so that compilers vectorize loops over them.
#pragma once

#include <cstdint>

#include "gpu/vendor/bit_cast.h"

namespace spb::gpu::vendor {

GPU_HOST_DEVICE inline float decode_f16(uint16_t bits) {
  // Scaling by 2^112 moves the exponent bias from 15 to 127 and normalizes subnormals.
  const float scaled = bit_cast<float>((bits & 0x7FFFu) << 13) * 0x1p112f;
  const uint32_t infinite = (bits & 0x7C00u) == 0x7C00u ? 0x7F800000u : 0u;
  return bit_cast<float>(bit_cast<uint32_t>(scaled) | infinite | (bits & 0x8000u) << 16);
}

GPU_HOST_DEVICE inline uint16_t encode_f16(float value) {
  const uint32_t word = bit_cast<uint32_t>(value);
  const uint32_t magnitude = word & 0x7FFFFFFFu;
  // An fp32 near 0.5 has the ulp of an f16 subnormal: the addition rounds to it.
  const uint32_t subnormal = bit_cast<uint32_t>(bit_cast<float>(magnitude) + 0.5f) - 0x3F000000u;
  const uint32_t normal = ((magnitude + 0xFFFu + (magnitude >> 13 & 1u)) >> 13) - (112u << 10);
  uint32_t result = magnitude < 0x38800000u ? subnormal : normal;
  if (magnitude >= 0x47800000u) result = 0x7C00u;
  if (magnitude > 0x7F800000u) result = 0x7E00u;
  return static_cast<uint16_t>(result | (word >> 16 & 0x8000u));
}

GPU_HOST_DEVICE inline float decode_bf16(uint16_t bits) {
  return bit_cast<float>(uint32_t{bits} << 16);
}

GPU_HOST_DEVICE inline uint16_t encode_bf16(float value) {
  const uint32_t word = bit_cast<uint32_t>(value);
  const uint32_t rounded = (word + 0x7FFFu + (word >> 16 & 1u)) >> 16;
  const bool is_nan = (word & 0x7FFFFFFFu) > 0x7F800000u;
  return static_cast<uint16_t>(is_nan ? (word >> 16 | 0x40u) : rounded);
}

/// Nearest even, saturated; NaN is 0.
GPU_HOST_DEVICE inline int8_t encode_i8(float value) {
  const float inside = value >= -128 ? (value <= 127 ? value : 127) : value < -128 ? -128 : 0;
  constexpr float kMagic = 0x1.8p23f;  // leaves no room for smaller bits
  return static_cast<int8_t>((inside + kMagic) - kMagic);
}

/// Nearest with ties away from zero, as cvt.rna.tf32 rounds.
GPU_HOST_DEVICE inline float round_tf32(float value) {
  const uint32_t word = bit_cast<uint32_t>(value);
  const bool is_nan = (word & 0x7FFFFFFFu) > 0x7F800000u;
  return bit_cast<float>(is_nan ? word : (word + 0x1000u) & ~0x1FFFu);
}

}  // namespace spb::gpu::vendor
