// SPDX-License-Identifier: Apache-2.0
#include "core/dtype.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/nearest.h"

namespace spb {
namespace {

/// 3xtf32 multiplies x = h + l + r by x' = h' + l' + r' as l h' + h l' + h h'. h is x to nearest in
/// the 11 significant bits of TF32, ties away. The rest x - h is exact in fp32, at most 2^-11 |x|,
/// and has 12 bits, because x has 24; l is the rest less its 12th bit, so that 23 bits of x survive
/// and |r| <= 2^-23 |x|. The product then lacks l l' + r x' + r' (h + l), at most (2^-22 + 2^-23 +
/// 2^-23) |x x'|. (That h + l may exceed x is made up for: r is 0 within 2^-12 of powers of two.)
/// True from |x| = 2^-114 on; below, r is what subnormals of TF32 drop, up to 2^-136.
constexpr double kSplitProductError = 0x1p-21;

// name; storage of features, weights and outputs; multiply, sum; operand bits, depth of an
// instruction of tensor cores, additions per product, whether operands are rounded, error
constexpr Math kMaths[] = {
    {Dtype::f32, "f32", Storage::f32, Storage::f32, Storage::f32, Multiply::fma, Accumulator::f32,
     24, 0},
    {Dtype::tf32, "tf32", Storage::f32, Storage::f32, Storage::f32, Multiply::tf32,
     Accumulator::f32, 11, 8, 1, true},
    {Dtype::f16, "f16", Storage::f16, Storage::f16, Storage::f16, Multiply::f16, Accumulator::f32,
     11, 16},
    {Dtype::bf16, "bf16", Storage::bf16, Storage::bf16, Storage::bf16, Multiply::bf16,
     Accumulator::f32, 8, 16},
    {Dtype::tf32x3, "3xtf32", Storage::f32, Storage::f32, Storage::f32, Multiply::tf32x3,
     Accumulator::f32, 23, 8, 3, false, kSplitProductError},
    {Dtype::i8, "i8", Storage::i8, Storage::i8, Storage::i8, Multiply::i8, Accumulator::i32, 8, 32},
    {Dtype::i8_f32, "i8_f32", Storage::i8, Storage::i8, Storage::f32, Multiply::i8,
     Accumulator::i32, 8, 32},
    {Dtype::i8_i32, "i8_i32", Storage::i8, Storage::i8, Storage::i32, Multiply::i8,
     Accumulator::i32, 8, 32},
    {Dtype::e4m3, "e4m3", Storage::e4m3, Storage::e4m3, Storage::e4m3, Multiply::e4m3,
     Accumulator::f32, 4, 32},
    {Dtype::e4m3_f16, "e4m3_f16", Storage::e4m3, Storage::e4m3, Storage::f16, Multiply::e4m3,
     Accumulator::f32, 4, 32},
    {Dtype::e4m3_bf16, "e4m3_bf16", Storage::e4m3, Storage::e4m3, Storage::bf16, Multiply::e4m3,
     Accumulator::f32, 4, 32},
};

float round_tf32(float value) {
  if (!std::isfinite(value)) return value;
  constexpr uint32_t kDropped = 0x1fff;  // 13 of the 23 mantissa bits
  return std::bit_cast<float>((std::bit_cast<uint32_t>(value) + (kDropped + 1) / 2) & ~kDropped);
}

}  // namespace

std::span<const Math> dtypes() { return kMaths; }

std::span<const Math> float_dtypes() {
  constexpr auto kCount =
      std::ranges::find_if(kMaths, &Math::is_scaled) - std::ranges::begin(kMaths);
  return dtypes().first(kCount);
}

const Math& info(Dtype dtype) {
  const auto row = static_cast<size_t>(dtype);
  if (row >= std::size(kMaths))
    throw Error(ExitCode::runtime, "dtype number " + std::to_string(row) + " is not known");
  return kMaths[row];
}

void no_instance(std::string_view who, Dtype dtype) {
  const auto row = static_cast<size_t>(dtype);
  throw Error(ExitCode::runtime,
              std::string(who) + " is not compiled for " +
                  (row < std::size(kMaths) ? std::string(kMaths[row].name)
                                           : "dtype number " + std::to_string(row)));
}

Dtype parse_dtype(std::string_view text, std::string_view where) {
  std::vector<std::string> names;
  std::string list;
  for (const Math& row : kMaths) {
    if (text == row.name) return row.dtype;
    names.emplace_back(row.name);
    list.append(list.empty() ? "" : ", ").append(row.name);
  }
  throw usage_error(where, "dtype " + unknown_name(text, names) + " (known: " + list + ")");
}

float round_operand(float value, Dtype dtype) {
  round_operands({&value, 1}, dtype);
  return value;
}

void round_operands(std::span<float> values, Dtype dtype) {
  const Math& math = info(dtype);
  if (math.multiply == Multiply::tf32)
    for (float& value : values) value = round_tf32(value);
  else
    round_trip(values, math.in);
}

}  // namespace spb
