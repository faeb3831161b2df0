// SPDX-License-Identifier: Apache-2.0
#include "run/verify_case.h"

namespace spb::run {

verify::ArithmeticModel arithmetic_model(const Arithmetic& arithmetic) {
  return {.mma_depth = arithmetic.mma_depth,
          .mma_rounding = arithmetic.mma_rounding,
          .chain = 0,
          .partials = arithmetic.partials,
          .atomics = arithmetic.atomics,
          .additions = 0,
          .accumulator = arithmetic.accumulator,
          .sum_bits = arithmetic.sum_bits,
          .promoted_products = arithmetic.promoted_products,
          .flushes_subnormals = arithmetic.flushes_subnormals};
}

}  // namespace spb::run
