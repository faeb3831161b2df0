// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reference/reference.h"

namespace spb::test {

struct ScaledOperands {
  std::vector<float> in, weights, bias, residual, scale, residual_scale;
  reference::Inputs inputs() const {
    return {in, weights, bias, {}, residual, scale, residual_scale};
  }
};

}  // namespace spb::test
