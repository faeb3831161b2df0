// SPDX-License-Identifier: Apache-2.0
// The last step of whoever writes outputs: y = act(sum + bias + residual).
#pragma once

#include "core/epilogue.h"

namespace spb::plans {

/// Operands and operation of one launch.
struct OutputEpilogue {
  const float* bias = nullptr;     ///< [columns]; null: none
  const void* residual = nullptr;  ///< as the outputs; null: none
  Activation activation = Activation::none;
  float slope = 0;
  const float* scale = nullptr;           ///< [columns], of scaled dtypes
  const float* residual_scale = nullptr;  ///< [1], the same with a residual

  /// Whether there is anything but a bias.
  constexpr bool has_more() const { return residual || activation != Activation::none; }
  constexpr bool has_any() const { return bias || has_more(); }
  /// Whether it needs an element's column.
  constexpr bool reads_columns() const { return bias || scale; }
};

}  // namespace spb::plans
