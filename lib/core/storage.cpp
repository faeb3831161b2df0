// SPDX-License-Identifier: Apache-2.0
#include "core/storage.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>

#include "core/error.h"

namespace spb {
namespace {

constexpr double kMaxF32 = std::numeric_limits<float>::max();

constexpr StorageInfo kStorages[] = {
    {Storage::f32, "f32", 4, 24, -126, kMaxF32},
    {Storage::f16, "f16", 2, 11, -14, 65504.0},
    {Storage::bf16, "bf16", 2, 8, -126, 0x1.fep127},
    {Storage::i8, "i8", 1, 7, 6, 127, true},  // so that neighbors are 1 apart
    {Storage::i32, "i32", 4, 31, 30, 0x7fffffff, true},
    {Storage::e4m3, "e4m3", 1, 4, -6, 448, true},
};

/// Nearest even at `bits` significant bits, with subnormals below 2^min_exponent. One rounding:
/// a sum with 1.5 * 2^52 quanta has no room for smaller bits, so the addition itself rounds.
double round_bits(double value, int bits, int min_exponent, double max) {
  if (!std::isfinite(value)) return value;
  if (std::abs(value) > 2 * max) return std::copysign(HUGE_VAL, value);
  const int biased = static_cast<int>(std::bit_cast<uint64_t>(value) >> 52 & 0x7ff);
  const int quantum = std::max(biased - 1023, min_exponent) - (bits - 1);
  const double magic =
      1.5 * std::bit_cast<double>(static_cast<uint64_t>(quantum + 52 + 1023) << 52);
  const double rounded = (value + magic) - magic;
  return std::copysign(std::abs(rounded) > max ? HUGE_VAL : rounded, value);
}

// Without branches, so that loops over them are vectorized: they see every element of every case.

/// Nearest even. Above the subnormals the bits round as an integer, a carry reaching infinity;
/// below them an addition of 0.5, whose last place is the smallest subnormal, rounds.
inline uint16_t f16_bits(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  const uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  const uint32_t normal = (rounded - ((127 - 15) << 23)) >> 13;
  const uint32_t small =
      std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000;
  uint32_t rest = magnitude < 0x38800000 ? small : normal;  // 2^-14
  rest = magnitude >= 0x47800000 ? 0x7c00 : rest;           // 2^16 and infinity
  rest = magnitude > 0x7f800000 ? 0x7e00 : rest;            // NaN
  return static_cast<uint16_t>(sign | rest);
}

inline float f16_value(uint16_t bits) {
  const uint32_t magnitude = static_cast<uint32_t>(bits & 0x7fff) << 13;
  // The exponent is 112 too small; a product also makes normal numbers of subnormal ones.
  const uint32_t finite = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f);
  const uint32_t rest = magnitude >= 0x0f800000 ? magnitude | 0x7f800000 : finite;
  return std::bit_cast<float>(static_cast<uint32_t>(bits & 0x8000) << 16 | rest);
}

inline uint16_t bf16_bits(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  // A NaN must not be rounded: its low bits could carry into infinity.
  const bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
  return static_cast<uint16_t>(is_nan ? bits >> 16 | 0x40 : rounded);
}

inline float bf16_value(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

/// Nearest even, saturated. As f16_bits(), below the normal values with an addition of 2^14.
inline uint8_t e4m3_bits(float value) {
  constexpr uint32_t kLargest = 0x43e00000, kMagic = 0x46800000;  // 448, 2^14
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t given = bits & 0x7fffffff, magnitude = std::min(given, kLargest);
  const uint32_t rounded = magnitude + 0x7ffff + (magnitude >> 20 & 1);
  const uint32_t normal = (rounded - ((127 - 7) << 23)) >> 20;
  const uint32_t small =
      std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + std::bit_cast<float>(kMagic)) -
      kMagic;
  uint32_t rest = magnitude < 0x3c800000 ? small : normal;  // 2^-6
  rest = given > 0x7f800000 ? 0x7f : rest;                  // NaN
  return static_cast<uint8_t>((bits >> 24 & 0x80) | rest);
}

inline float e4m3_value(uint8_t bits) {
  const uint32_t magnitude = bits & 0x7f;
  const uint32_t finite = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude << 20) * 0x1p120f);
  const uint32_t rest = magnitude == 0x7f ? 0x7fc00000 : finite;
  return std::bit_cast<float>(static_cast<uint32_t>(bits & 0x80) << 24 | rest);
}

/// Nearest even, saturated: what lies beyond is cut before 1.5 * 2^23, which has no room for
/// smaller bits, rounds it.
inline float rounded_i8(float value) {
  const float inside = value >= -128 ? (value <= 127 ? value : 127) : value < -128 ? -128 : 0;
  constexpr float kMagic = 0x1.8p23f;
  return (inside + kMagic) - kMagic;
}

/// Whether a float has the bits of a stored element.
bool is_plain(Storage storage) { return storage == Storage::f32 || storage == Storage::i32; }

/// The conversions of the others, as f(to_bits, to_float).
template <typename F>
void with_conversions(Storage storage, F&& f) {
  if (storage == Storage::f16)
    f([](float value) { return f16_bits(value); }, [](uint16_t bits) { return f16_value(bits); });
  else if (storage == Storage::bf16)
    f([](float value) { return bf16_bits(value); }, [](uint16_t bits) { return bf16_value(bits); });
  else if (storage == Storage::i8)
    f([](float value) { return static_cast<int8_t>(rounded_i8(value)); },
      [](int8_t bits) { return static_cast<float>(bits); });
  else
    f([](float value) { return e4m3_bits(value); }, [](uint8_t bits) { return e4m3_value(bits); });
}

}  // namespace

const StorageInfo& info(Storage storage) {
  const auto row = static_cast<size_t>(storage);
  if (row >= std::size(kStorages))
    throw Error(ExitCode::runtime, "storage number " + std::to_string(row) + " is not known");
  return kStorages[row];
}

float round_stored(double value, Storage storage) {
  const StorageInfo& row = info(storage);
  if (storage == Storage::f32) return static_cast<float>(value);
  if (storage == Storage::i8 || storage == Storage::i32) {
    const double whole =
        std::isnan(value) ? 0 : std::nearbyint(std::clamp(value, -row.max - 1, row.max));
    return storage == Storage::i8 ? static_cast<float>(whole)
                                  : std::bit_cast<float>(static_cast<int32_t>(whole));
  }
  if (row.saturates && std::abs(value) > row.max)
    return static_cast<float>(std::copysign(row.max, value));
  return static_cast<float>(round_bits(value, row.bits, row.min_exponent, row.max));
}

uint16_t encode_f16(float value) { return f16_bits(value); }
float decode_f16(uint16_t bits) { return f16_value(bits); }
uint16_t encode_bf16(float value) { return bf16_bits(value); }
float decode_bf16(uint16_t bits) { return bf16_value(bits); }

void encode(std::span<const float> values, Storage storage, void* bytes) {
  if (is_plain(storage)) {
    if (!values.empty()) std::memcpy(bytes, values.data(), values.size_bytes());
    return;
  }
  with_conversions(storage, [&](auto to_bits, auto) {
    auto* out = static_cast<std::byte*>(bytes);
    for (size_t i = 0; i < values.size(); ++i) {
      const auto element = to_bits(values[i]);
      std::memcpy(out + sizeof element * i, &element, sizeof element);
    }
  });
}

void decode(const void* bytes, Storage storage, std::span<float> values) {
  if (is_plain(storage)) {
    if (!values.empty()) std::memcpy(values.data(), bytes, values.size_bytes());
    return;
  }
  with_conversions(storage, [&](auto to_bits, auto to_float) {
    const auto* in = static_cast<const std::byte*>(bytes);
    for (size_t i = 0; i < values.size(); ++i) {
      decltype(to_bits(0.f)) element;
      std::memcpy(&element, in + sizeof element * i, sizeof element);
      values[i] = to_float(element);
    }
  });
}

void round_trip(std::span<float> values, Storage storage) {
  if (is_plain(storage)) return;
  with_conversions(storage, [&](auto to_bits, auto to_float) {
    for (float& value : values) value = to_float(to_bits(value));
  });
}

}  // namespace spb
