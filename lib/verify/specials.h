// SPDX-License-Identifier: Apache-2.0
// Infinities and NaN among the operands (verification.md, section 6).
#pragma once

#include <cstdint>
#include <vector>

#include "core/operand_draw.h"
#include "core/problem.h"

namespace spb::verify {

/// Each of +infinity, NaN and -infinity in rows of its own, one channel of each; in wgrad, whose
/// sums run over rows, in one row and in a channel of its own. Any of them times zero is a NaN, so
/// that two that meet the same output cannot be told apart. `n_rows`: of the operand that has them,
/// gout of dgrad and else in.
std::vector<Patch> specials(const Problem& problem, int64_t n_rows, uint64_t seed);

}  // namespace spb::verify
