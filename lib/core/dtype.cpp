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

// name, bytes, operand bits, output bits, exponent of the smallest normal output, largest output
constexpr DtypeInfo kDtypes[] = {
    {Dtype::f32, "f32", 4, 24, 24, -126, kMaxF32},
    {Dtype::tf32, "tf32", 4, 11, 24, -126, kMaxF32},
    {Dtype::f16, "f16", 2, 11, 11, -14, 65504.0},
    {Dtype::bf16, "bf16", 2, 8, 8, -126, kMaxBf16},
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
  return dtype == Dtype::tf32 ? round_tf32(value) : round_output(value, dtype);
}

float round_output(double value, Dtype dtype) {
  if (dtype == Dtype::f32 || dtype == Dtype::tf32) return static_cast<float>(value);
  const DtypeInfo& row = info(dtype);
  return static_cast<float>(
      round_bits(value, row.output_bits, row.output_min_exponent, row.output_max));
}

uint16_t encode_f16(float value) {
  const float rounded = round_output(value, Dtype::f16);
  const uint32_t bits = std::bit_cast<uint32_t>(rounded);
  const uint32_t sign = bits >> 16 & 0x8000;
  const float magnitude = std::abs(rounded);
  uint32_t rest;
  if (std::isnan(rounded))
    rest = 0x7e00;
  else if (std::isinf(rounded))
    rest = 0x7c00;
  else if (magnitude < 0x1p-14f)
    rest = static_cast<uint32_t>(magnitude * 0x1p24f);
  else
    rest = (bits >> 13 & 0x3ffff) - ((127 - 15) << 10);
  return static_cast<uint16_t>(sign | rest);
}

float decode_f16(uint16_t bits) {
  const uint32_t exponent = bits >> 10 & 0x1f, mantissa = bits & 0x3ff;
  const uint32_t sign = (bits & 0x8000u) << 16;
  if (exponent == 0)
    return std::copysign(static_cast<float>(mantissa) * 0x1p-24f, std::bit_cast<float>(sign));
  const uint32_t wide = exponent == 31 ? 255 : exponent + (127 - 15);
  return std::bit_cast<float>(sign | wide << 23 | mantissa << 13);
}

uint16_t encode_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  // A NaN must not be rounded: its low bits could carry into infinity.
  if (std::isnan(value)) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float decode_bf16(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

void encode(std::span<const float> values, Dtype dtype, void* bytes) {
  if (info(dtype).bytes == 4) {
    if (!values.empty()) std::memcpy(bytes, values.data(), values.size_bytes());
    return;
  }
  const auto encode_one = dtype == Dtype::f16 ? encode_f16 : encode_bf16;
  auto* out = static_cast<std::byte*>(bytes);
  for (size_t i = 0; i < values.size(); ++i) {
    const uint16_t element = encode_one(values[i]);
    std::memcpy(out + 2 * i, &element, 2);
  }
}

void decode(const void* bytes, Dtype dtype, std::span<float> values) {
  if (info(dtype).bytes == 4) {
    if (!values.empty()) std::memcpy(values.data(), bytes, values.size_bytes());
    return;
  }
  const auto decode_one = dtype == Dtype::f16 ? decode_f16 : decode_bf16;
  const auto* in = static_cast<const std::byte*>(bytes);
  for (size_t i = 0; i < values.size(); ++i) {
    uint16_t element;
    std::memcpy(&element, in + 2 * i, 2);
    values[i] = decode_one(element);
  }
}

}  // namespace spb
