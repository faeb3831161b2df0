// SPDX-License-Identifier: Apache-2.0
// Operands and outputs on the host, as floats.
#pragma once

#include <memory>
#include <vector>

#include "core/operand_draw.h"
#include "core/tensors.h"
#include "core/uninitialized.h"

namespace spb {

/// Operands of a problem, as floats that the operand type holds exactly. What the direction does
/// not read is empty.
struct HostOperands {
  Floats in, weights, bias, gout, residual, scale, residual_scale;
  /// Where operands are not held but drawn by whoever reads them: how. Those are empty then.
  std::shared_ptr<const OperandDraws> draws{};

  /// Null for what is no operand.
  const Floats* find(Tensor tensor) const;
  Floats* find(Tensor tensor) {
    return const_cast<Floats*>(static_cast<const HostOperands*>(this)->find(tensor));
  }
  const OperandDraw* find_draw(Tensor tensor) const {
    return draws ? draws->find(tensor) : nullptr;
  }
};

/// What a run stored: every stored bit pattern is one float's (stored_value()).
struct OutputBits {
  Floats main;              ///< out, gin or gw
  std::vector<float> bias;  ///< gbias; empty when there is none
};
bool same_bits(const OutputBits& a, const OutputBits& b);

}  // namespace spb
