// SPDX-License-Identifier: Apache-2.0
// Fills of which every output has at most one product: nothing is left to the order of a sum, so
// that operands may have all their bits, and magnitudes from one end of a type to the other
// (verification.md, section 3).
#pragma once

#include <cstdint>

#include "core/host_tensors.h"
#include "core/problem.h"
#include "verify/random.h"

namespace spb::verify {

/// Every operand bit, any sign, any exponent of the dtype, subnormals and the largest value
/// included.
float draw_whole_range(Random& random, int level, Dtype dtype);

/// Every operand bit, of magnitudes that leave a product of draw_whole_range() in the accumulator's
/// range: it is exact, or rounded once.
float draw_near_one(Random& random, int level, Dtype dtype);

/// Zeroes `values` but for one in each column of the output, so that one product is left of an
/// element: of weights, one offset and channel that it sums over; of gout in wgrad, one row.
void keep_one_per_column(Floats& values, const Problem& problem, uint64_t seed);

}  // namespace spb::verify
