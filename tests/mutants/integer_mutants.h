// SPDX-License-Identifier: Apache-2.0
// Mutants of integer sums and of what makes outputs of them.
#pragma once

#include <cmath>

#include "defects.h"
#include "mutant_layers.h"
#include "mutants.h"
#include "number_mutants.h"

namespace spb::mutants {

inline float half_away_from_zero(float value) { return std::round(value); }
inline float toward_zero(float value) { return std::trunc(value); }
/// As a conversion that keeps the low eight bits.
inline float wrap(float value) {
  const auto integer = static_cast<int>(std::nearbyint(value));
  return static_cast<float>(static_cast<int8_t>(integer & 0xFF));
}

inline std::vector<float> one_scale(State& s, const std::vector<double>& sums) {
  std::ranges::fill(s.scale, s.scale[0]);
  return requantized(s, sums);
}

inline std::vector<float> scale_of_the_next_channel(State& s, const std::vector<double>& sums) {
  std::ranges::rotate(s.scale, s.scale.begin() + 1);
  return requantized(s, sums);
}

/// A column tile of 64 that counts its columns from zero.
inline std::vector<float> scales_of_the_first_tile(State& s, const std::vector<double>& sums) {
  constexpr std::ptrdiff_t kTile = 64;
  std::copy_n(s.scale.begin(), kTile, s.scale.begin() + kTile);
  return requantized(s, sums);
}

inline std::vector<float> residual_unscaled(State& s, const std::vector<double>& sums) {
  s.residual_scale[0] = 1;
  return requantized(s, sums);
}

/// The last row takes that of the row before.
inline std::vector<float> integer_residual_of_another_row(State& s,
                                                          const std::vector<double>& sums) {
  const auto cols = static_cast<std::ptrdiff_t>(s.cols());
  std::copy(s.residual.end() - 2 * cols, s.residual.end() - cols, s.residual.end() - cols);
  return requantized(s, sums);
}

inline void integer_bias_behind_the_activation(State& s, std::vector<float>& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    const float bias = s.bias[i % s.bias.size()];
    values[i] = activated(s.problem.epilogue, values[i] - bias) + bias;
  }
}

/// As words of four channels of which the last is not there.
inline void read_beyond_the_row(State& s) {
  for (size_t i = 0; i + 1 < s.in.size(); ++i)
    if (static_cast<int64_t>(i) % s.problem.c_in == s.problem.c_in - 1) s.in[i] += s.in[i + 1];
}

inline constexpr Mutant kIntegerMutants[] = {
    {"integer_control", "correct", kFprop, Dtype::i8, kInteger, "", {}},
    {"integer_control_to_f32", "correct", kFprop, Dtype::i8_f32, kDeep, "", {}},
    {"integer_control_to_i32", "correct", kFprop, Dtype::i8_i32, kSums, "", {}},
    row("half_away", "ties are rounded away from zero", kFprop, Dtype::i8, kSubm, "exact tied",
        {.store = half_away_from_zero}),
    row("truncated", "outputs are truncated", kFprop, Dtype::i8, kSubm, "exact tied",
        {.store = toward_zero}),
    row("wrapped", "outputs wrap instead of saturating", kFprop, Dtype::i8, kSubm, "exact tied",
        {.store = wrap}),
    row("one_scale", "all channels take the first one's scale", kFprop, Dtype::i8, kSubm,
        "exact tied", {.requantize = one_scale}),
    row("next_scale", "channels take the next one's scale", kFprop, Dtype::i8_f32, kSubm,
        "exact tied", {.requantize = scale_of_the_next_channel}),
    row("first_tiles_scales", "the last column tile takes the first one's scales", kFprop,
        Dtype::i8_f32, kTwoTiles, "exact full", {.requantize = scales_of_the_first_tile}),
    row("residual_unscaled", "the residual is not scaled", kFprop, Dtype::i8, kInteger,
        "exact tied", {.requantize = residual_unscaled}),
    row("integer_residual_of_another_row", "the last row adds the residual of the one before",
        kFprop, Dtype::i8, kInteger, "exact small",
        {.requantize = integer_residual_of_another_row}),
    row("integer_bias_behind_activation", "the activation comes before the bias", kFprop, Dtype::i8,
        kInteger, "exact small", {.epilogue = integer_bias_behind_the_activation}),
    row("integer_sums_in_f32", "integer sums kept in fp32", kFprop, Dtype::i8_f32, kDeep,
        "exact loud", {.accumulate = [](float sum) { return sum; }}),
    row("stored_integer_sums_in_f32", "integer sums kept in fp32", kFprop, Dtype::i8_i32, kSums,
        "exact loud", {.accumulate = [](float sum) { return sum; }}),
    row("stored_integer_sums_overrun", "the last channel adds the next row's first", kFprop,
        Dtype::i8_i32, kSums, "exact small", {.operands = read_beyond_the_row}),
    row("integer_sums_in_f16", "sums kept in fp16", kFprop, Dtype::i8, kSubm, "exact full",
        {.accumulate = to_f16}),
    row("integer_row_overrun", "the last channel adds the next row's first", kFprop, Dtype::i8,
        kSubm, "exact small", {.operands = read_beyond_the_row}),
};

}  // namespace spb::mutants
