// SPDX-License-Identifier: Apache-2.0
// Numbers that are not those of the dtype: operands, products and stores with fewer bits, a
// narrower range, or without the values that are no normal numbers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "core/dtype.h"

namespace spb::mutants {

/// The highest kBits significant bits of an fp32 value.
template <int kBits>
float cut_to(float value) {
  constexpr uint32_t kDropped = (1u << (24 - kBits)) - 1;
  return std::isfinite(value) ? std::bit_cast<float>(std::bit_cast<uint32_t>(value) & ~kDropped)
                              : value;
}

/// The same rounded to nearest.
template <int kBits>
float rounded_to(float value) {
  constexpr uint32_t kHalf = 1u << (23 - kBits);
  return std::isfinite(value)
             ? cut_to<kBits>(std::bit_cast<float>(std::bit_cast<uint32_t>(value) + kHalf))
             : value;
}

/// `value` as a sum of parts of kBits significant bits (TF32: 11, bf16: 8), the largest first. What
/// is not finite stays whole.
template <int kBits, size_t kParts>
std::array<float, kParts> parts_of(float value) {
  std::array<float, kParts> parts{};
  for (float& part : parts) {
    part = rounded_to<kBits>(value);
    // As an emulation does that minds the largest values: NaN would give it away.
    if (!std::isfinite(part)) part = cut_to<kBits>(value);
    value = std::isfinite(part) ? value - part : 0;
  }
  return parts;
}

/// A product of parts: those whose numbers add up to less than kParts, as emulations leave the
/// smallest out.
template <int kBits, size_t kParts>
float product_of_parts(float a, float b) {
  const auto x = parts_of<kBits, kParts>(a), y = parts_of<kBits, kParts>(b);
  float sum = 0;
  for (size_t order = kParts; order-- > 0;)
    for (size_t i = 0; i <= order; ++i) sum += x[i] * y[order - i];
  return sum;
}

template <Dtype kDtype>
float through(float value) {
  return round_operand(value, kDtype);
}

/// What a saturating conversion stores.
template <Dtype kDtype>
float saturated(float value) {
  const auto most = static_cast<float>(info(kDtype).output().max);
  return std::isnan(value) ? value : std::clamp(value, -most, most);
}

template <Dtype kDtype>
float without_subnormals(float value) {
  return std::abs(value) < std::ldexp(1.f, info(kDtype).output().min_exponent) ? 0 : value;
}

/// To TF32 by an addition to the word alone: a NaN of all bits becomes -0.
inline float rounded_without_a_look(float value) {
  return std::bit_cast<float>((std::bit_cast<uint32_t>(value) + 0x1000u) & ~0x1FFFu);
}

inline float nan_for_infinity(float value) { return std::isinf(value) ? value - value : value; }
inline float infinity_for_nan(float value) { return std::isnan(value) ? HUGE_VALF : value; }
inline float zero_for_nan(float value) { return std::isnan(value) ? 0 : value; }
inline float without_sign_of_infinity(float value) { return std::isinf(value) ? HUGE_VALF : value; }

}  // namespace spb::mutants
