// SPDX-License-Identifier: Apache-2.0
// Mutants of 8-bit floats, and of what scales their sums.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "integer_mutants.h"
#include "mutant_layers.h"
#include "mutants.h"
#include "number_mutants.h"

namespace spb::mutants {

/// As a conversion does that knows no saturation.
inline float nan_beyond_e4m3(float value) {
  constexpr float kLargest = 448;
  return std::abs(value) > kLargest ? std::nanf("") : value;
}
/// Sums that are cut off behind 14 bits, in a tensor core, under the name of fp32's.
inline float cut_to_14_bits(float sum) { return cut_to<14>(sum); }

/// As bf16 is made by who drops bits. (cut_to<8> is no-op code by GCC 12 at -O1.)
inline float upper_half(float value) {
  return decode_bf16(static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16));
}

/// Weights of dgrad as they lie, taken for those that were turned.
inline void weights_not_turned(State& s) {
  const Problem& p = s.problem;
  const std::vector<float> turned = s.weights;
  size_t at = 0;
  for (int co = 0; co < p.c_out; ++co)
    for (int o = 0; o < p.kernel_volume(); ++o)
      for (int ci = 0; ci < p.c_in; ++ci)
        s.weights[at++] = turned[static_cast<size_t>((ci * p.kernel_volume() + o) * p.c_out + co)];
}
/// Those of the last input channel are those of the run before.
inline void last_turned_weights_are_stale(State& s) {
  const auto c_in = static_cast<size_t>(s.problem.c_in);
  std::vector<float> now = s.weights;
  if (s.remembered.size() == now.size())
    for (size_t at = c_in - 1; at < now.size(); at += c_in) s.weights[at] = s.remembered[at];
  s.remembered = std::move(now);
}

inline constexpr Mutant kE4m3Mutants[] = {
    row("e4m3_control", "correct", kFprop, Dtype::e4m3, kInteger, kNothing, {}),
    row("e4m3_f16_control", "correct", kFprop, Dtype::e4m3_f16, kDeep, kNothing, {}),
    row("e4m3_bf16_control", "correct", kFprop, Dtype::e4m3_bf16, kTwoTiles, kNothing, {}),
    row("e4m3_truncated", "outputs are truncated", kFprop, Dtype::e4m3, kSubm, "exact small",
        {.store = cut_to<4>}),
    row("e4m3_overflows", "outputs beyond 448 are NaN", kFprop, Dtype::e4m3, kSubm, kSingle,
        {.store = nan_beyond_e4m3}),
    row("e4m3_three_bits", "e4m3 operands cut to 3 bits", kFprop, Dtype::e4m3, kSubm, kWide,
        {.load = cut_to<3>}),
    row("e4m3_operands_flushed", "subnormal e4m3 operands are 0", kFprop, Dtype::e4m3_f16, kSubm,
        kSingle, {.load = without_subnormals<Dtype::e4m3>}),
    row("e4m3_next_scale", "channels take the next one's scale", kFprop, Dtype::e4m3, kSubm,
        "exact small", {.requantize = scale_of_the_next_channel}),
    row("e4m3_first_tiles_scales", "the last column tile takes the first one's scales", kFprop,
        Dtype::e4m3_bf16, kTwoTiles, "exact small", {.requantize = scales_of_the_first_tile}),
    row("e4m3_residual_unscaled", "the residual is not scaled", kFprop, Dtype::e4m3, kInteger,
        "exact small", {.requantize = residual_unscaled}),
    row("e4m3_neighbor_missed", "one pair missed", kFprop, Dtype::e4m3, kSubm, "exact small",
        {.keeps = misses_one_neighbor}),
    row("e4m3_sums_of_14_bits", "sums cut to 14 bits under the name of fp32's", kFprop,
        Dtype::e4m3_f16, kDeep, "exact loud", {.accumulate = cut_to_14_bits}),
    row("e4m3_dgrad_control", "correct", kDgrad, Dtype::e4m3, kSubm, kNothing, {}),
    row("e4m3_wgrad_control", "correct", kWgrad, Dtype::e4m3_bf16, kStrided, kNothing, {}),
    row("e4m3_dgrad_not_turned", "weights as they lie, taken for turned ones", kDgrad, Dtype::e4m3,
        kSubm, "exact small", {.operands = weights_not_turned}),
    row("e4m3_dgrad_stale", "turned weights of the run before", kDgrad, Dtype::e4m3_bf16, kSubm,
        "exact small (dirty buffers)", {.operands = last_turned_weights_are_stale}),
    row("e4m3_dgrad_next_scale", "channels take the next one's scale", kDgrad, Dtype::e4m3_f16,
        kSubm, "exact small", {.requantize = scale_of_the_next_channel}),
    row("e4m3_dgrad_first_tiles_scales", "the last column tile takes the first one's scales",
        kDgrad, Dtype::e4m3_bf16, kDeep, "exact small", {.requantize = scales_of_the_first_tile}),
    row("e4m3_dgrad_sums_of_14_bits", "sums cut to 14 bits under the name of fp32's", kDgrad,
        Dtype::e4m3_f16, kTwoTiles, "exact loud", {.accumulate = cut_to_14_bits}),
    row("e4m3_wgrad_three_bits", "e4m3 operands cut to 3 bits", kWgrad, Dtype::e4m3_bf16, kSubm,
        kWide, {.load = cut_to<3>}),
    row("e4m3_wgrad_flushed", "subnormal e4m3 operands are 0", kWgrad, Dtype::e4m3_bf16, kSubm,
        kSingle, {.load = without_subnormals<Dtype::e4m3>}),
    row("e4m3_wgrad_truncated", "outputs are truncated", kWgrad, Dtype::e4m3_bf16, kSubm,
        "exact small", {.store = upper_half}),
};

}  // namespace spb::mutants
