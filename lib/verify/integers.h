// SPDX-License-Identifier: Apache-2.0
// Operands of integer dtypes, and what their outputs must show (verification.md, section 14).
#pragma once

#include <cstdint>
#include <string>

#include "core/draw.h"
#include "core/expected.h"
#include "core/host_tensors.h"
#include "core/problem.h"
#include "verify/verify.h"

namespace spb::verify {

/// Any of the 256 values.
Draw any_i8(int level, Dtype dtype);
/// Operands whose sums go beyond the bits of an accumulator that is too short; align_signs() makes
/// them so. Integers: 126, 127 or -128, beyond the 24 bits of fp32. e4m3: 8 to 11, of which 128
/// products have 14 bits and more have more, where a tensor core is not promoted.
Draw loud(int level, Dtype dtype);
/// Whether sums of the problem under loud stay exact: of integers all, of e4m3 those below 2^24.
bool is_loud_exact(const Problem& problem);
/// No integer: of a bias in units of an output.
Draw broad(int level, Dtype dtype);

/// One sign for each row of `columns` values, so that no two products of an output cancel.
void align_signs(Floats& values, int64_t columns, uint64_t seed);
/// One for each column, where sums run over rows.
void align_signs_of_columns(Floats& values, int64_t columns, uint64_t seed);

/// What of a comparison shows how a device rounds: outputs half way between integers, and beyond
/// either end.
struct RoundingEvidence {
  int64_t outputs = 0, ties = 0, low = 0, high = 0;
  RoundingEvidence& operator+=(const RoundingEvidence& other);
  /// Empty, or which of them are too few: under one in a hundred.
  std::string missing(const Epilogue& epilogue) const;
};
/// Of a reference's values, before they are rounded to i8; none of other outputs.
RoundingEvidence rounding_evidence(const Expected& expected, Storage output);

}  // namespace spb::verify
