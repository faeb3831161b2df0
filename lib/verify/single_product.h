// SPDX-License-Identifier: Apache-2.0
// Fills of which every output has at most one product: nothing is left to the order of a sum, so
// that operands may have all their bits, and magnitudes from one end of a type to the other
// (verification.md, section 3).
#pragma once

#include <cstdint>
#include <vector>

#include "core/draw.h"
#include "core/problem.h"

namespace spb::verify {

/// Every operand bit, any sign, any exponent of the dtype, subnormals and the largest value
/// included.
Draw whole_range(int level, Dtype dtype);

/// Every operand bit, of magnitudes that leave a product of whole_range() in the accumulator's
/// range: it is exact, or rounded once.
Draw near_one(int level, Dtype dtype);

/// The elements, one of each column of the output, to which the other operand of the fill is cut
/// down, so that one product is left of an element: of weights, one offset and channel that it sums
/// over; of gout in wgrad, one of its `n_rows`.
std::vector<int64_t> one_per_column(const Problem& problem, int64_t n_rows, uint64_t seed);

}  // namespace spb::verify
