// SPDX-License-Identifier: Apache-2.0
// Mutants of 8-bit floats, and of what scales their sums.
#pragma once

#include <cmath>

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
};

}  // namespace spb::mutants
