// SPDX-License-Identifier: Apache-2.0
// Operands and outputs on the host, as floats.
#pragma once

#include <vector>

#include "core/uninitialized.h"

namespace spb {

/// Operands of a problem, as floats that the operand type holds exactly. What the direction does
/// not read is empty.
struct HostOperands {
  Floats in, weights, bias, gout, residual, scale, residual_scale;
};

/// What a run stored: every stored bit pattern is one float's (stored_value()).
struct OutputBits {
  Floats main;              ///< out, gin or gw
  std::vector<float> bias;  ///< gbias; empty when there is none
};
bool same_bits(const OutputBits& a, const OutputBits& b);

}  // namespace spb
