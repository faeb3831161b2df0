// SPDX-License-Identifier: Apache-2.0
// Mutants of what comes behind the sums of fprop.
#pragma once

#include <algorithm>
#include <cmath>

#include "defects.h"
#include "mutant_layers.h"
#include "mutants.h"

namespace spb::mutants {

inline void bias_behind_the_activation(State& s, std::vector<float>& sums) {
  for (size_t i = 0; i < sums.size(); ++i) {
    const float bias = s.bias[i % s.bias.size()];
    sums[i] = activated(s.problem.epilogue, sums[i] - bias) + bias;
  }
}

inline void residual_behind_the_activation(State& s, std::vector<float>& sums) {
  for (size_t i = 0; i < sums.size(); ++i)
    sums[i] = activated(s.problem.epilogue, sums[i] - s.residual[i]) + s.residual[i];
}

/// The last row takes that of the row before.
inline void residual_of_another_row(State& s, std::vector<float>& sums) {
  const auto cols = static_cast<size_t>(s.cols());
  for (size_t i = sums.size() - cols; i < sums.size(); ++i)
    sums[i] += s.residual[i - cols] - s.residual[i];
  activate_all(s, sums);
}

/// The last channel of a tile of 64.
inline void activation_misses_a_column(State& s, std::vector<float>& sums) {
  constexpr size_t kColumn = 63;
  const std::vector<float> before = sums;
  activate_all(s, sums);
  const auto cols = static_cast<size_t>(s.cols());
  for (size_t i = kColumn; i < sums.size(); i += cols) sums[i] = before[i];
}

/// As a device whose zero wins over NaN.
inline void relu_by_maximum(State&, std::vector<float>& sums) {
  for (float& sum : sums) sum = std::fmax(sum, 0.f);
}

inline constexpr Mutant kEpilogueMutants[] = {
    {"epilogue_control", "correct", kFprop, Dtype::bf16, kFused, "", {}},
    {"epilogue_control_of_f32", "correct", kFprop, Dtype::f32, kHswish, "", {}},
    {"activation_before_bias",
     "the activation comes before the bias",
     kFprop,
     Dtype::f16,
     kFused,
     "exact small",
     {.epilogue = bias_behind_the_activation}},
    {"activation_before_residual",
     "the activation comes before the residual",
     kFprop,
     Dtype::f32,
     kHswish,
     "exact small",
     {.epilogue = residual_behind_the_activation}},
    {"residual_of_another_row",
     "the last row adds the residual of the one before",
     kFprop,
     Dtype::f16,
     kFused,
     "exact small",
     {.epilogue = residual_of_another_row}},
    {"activation_per_slice",
     "the activation is taken of each partial sum",
     kFprop,
     Dtype::f16,
     kFused,
     "exact small",
     {.accumulate = [](float sum) { return std::max(sum, 0.f); }}},
    {"activation_misses_a_column",
     "the last column of a tile has no activation",
     kFprop,
     Dtype::f16,
     kFused,
     "exact small",
     {.epilogue = activation_misses_a_column}},
    {"relu_loses_nan",
     "relu makes zeros of NaN",
     kFprop,
     Dtype::f32,
     kRelu,
     "fp special",
     {.epilogue = relu_by_maximum}},
};

}  // namespace spb::mutants
