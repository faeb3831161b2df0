#include "core/dtype.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/nearest.h"

namespace spb {
namespace {

constexpr double kMaxF32 = std::numeric_limits<float>::max();
constexpr double kMaxBf16 = 0x1.fep127;

/// 3xtf32 multiplies x = h + l + r by x' = h' + l' + r' as l h' + h l' + h h'. h is x to nearest in
/// the 11 significant bits of TF32, ties away. The rest x - h is exact in fp32, at most 2^-11 |x|,
/// and has 12 bits, because x has 24; l is the rest less its 12th bit, so that 23 bits of x survive
/// and |r| <= 2^-23 |x|. The product then lacks l l' + r x' + r' (h + l), at most (2^-22 + 2^-23 +
/// 2^-23) |x x'|. (That h + l may exceed x is made up for: r is 0 within 2^-12 of powers of two.)
/// True from |x| = 2^-114 on; below, r is what subnormals of TF32 drop, up to 2^-136.
constexpr double kSplitProductError = 0x1p-21;

// name, bytes, operand bits, output bits, exponent of the smallest normal output, largest output
constexpr DtypeInfo kDtypes[] = {
    {Dtype::f32, "f32", 4, 24, 24, -126, kMaxF32},
    {Dtype::tf32, "tf32", 4, 11, 24, -126, kMaxF32},
    {Dtype::f16, "f16", 2, 11, 11, -14, 65504.0},
    {Dtype::bf16, "bf16", 2, 8, 8, -126, kMaxBf16},
    {Dtype::tf32x3, "3xtf32", 4, 23, 24, -126, kMaxF32, kSplitProductError},
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

float round_tf32(float value) {
  if (!std::isfinite(value)) return value;
  constexpr uint32_t kDropped = 0x1fff;  // 13 of the 23 mantissa bits
  return std::bit_cast<float>((std::bit_cast<uint32_t>(value) + (kDropped + 1) / 2) & ~kDropped);
}

}  // namespace

std::span<const DtypeInfo> dtypes() { return kDtypes; }

const DtypeInfo& info(Dtype dtype) { return kDtypes[static_cast<size_t>(dtype)]; }

Dtype parse_dtype(std::string_view text, std::string_view where) {
  std::vector<std::string> names;
  std::string list;
  for (const DtypeInfo& row : kDtypes) {
    if (text == row.name) return row.dtype;
    names.emplace_back(row.name);
    list.append(list.empty() ? "" : ", ").append(row.name);
  }
  throw usage_error(where, "dtype " + unknown_name(text, names) + " (known: " + list + ")");
}

float round_operand(float value, Dtype dtype) {
  switch (dtype) {
    case Dtype::f32:
    case Dtype::tf32x3:
      break;
    case Dtype::tf32:
      return round_tf32(value);
    case Dtype::f16:
      return f16_value(f16_bits(value));
    case Dtype::bf16:
      return bf16_value(bf16_bits(value));
  }
  return value;
}

void round_operands(std::span<float> values, Dtype dtype) {
  const auto each = [&](auto round) {
    for (float& value : values) value = round(value);
  };
  switch (dtype) {
    case Dtype::f32:
    case Dtype::tf32x3:
      break;
    case Dtype::tf32:
      each(round_tf32);
      break;
    case Dtype::f16:
      each([](float value) { return f16_value(f16_bits(value)); });
      break;
    case Dtype::bf16:
      each([](float value) { return bf16_value(bf16_bits(value)); });
      break;
  }
}

float round_output(double value, Dtype dtype) {
  const DtypeInfo& row = info(dtype);
  if (row.bytes == 4) return static_cast<float>(value);
  return static_cast<float>(
      round_bits(value, row.output_bits, row.output_min_exponent, row.output_max));
}

uint16_t encode_f16(float value) { return f16_bits(value); }
float decode_f16(uint16_t bits) { return f16_value(bits); }
uint16_t encode_bf16(float value) { return bf16_bits(value); }
float decode_bf16(uint16_t bits) { return bf16_value(bits); }

void encode(std::span<const float> values, Dtype dtype, void* bytes) {
  if (info(dtype).bytes == 4) {
    if (!values.empty()) std::memcpy(bytes, values.data(), values.size_bytes());
    return;
  }
  const auto each = [&](auto encode_one) {
    auto* out = static_cast<std::byte*>(bytes);
    for (size_t i = 0; i < values.size(); ++i) {
      const uint16_t element = encode_one(values[i]);
      std::memcpy(out + 2 * i, &element, 2);
    }
  };
  if (dtype == Dtype::f16)
    each([](float value) { return f16_bits(value); });
  else
    each([](float value) { return bf16_bits(value); });
}

void decode(const void* bytes, Dtype dtype, std::span<float> values) {
  if (info(dtype).bytes == 4) {
    if (!values.empty()) std::memcpy(values.data(), bytes, values.size_bytes());
    return;
  }
  const auto each = [&](auto decode_one) {
    const auto* in = static_cast<const std::byte*>(bytes);
    for (size_t i = 0; i < values.size(); ++i) {
      uint16_t element;
      std::memcpy(&element, in + 2 * i, 2);
      values[i] = decode_one(element);
    }
  };
  if (dtype == Dtype::f16)
    each([](uint16_t element) { return f16_value(element); });
  else
    each([](uint16_t element) { return bf16_value(element); });
}

}  // namespace spb
