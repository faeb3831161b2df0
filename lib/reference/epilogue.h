// SPDX-License-Identifier: Apache-2.0
// The reference's own epilogue, on finished sums that hold bias and residual as further terms.
#pragma once

#include <cstdint>
#include <span>

#include "core/epilogue.h"
#include "core/expected.h"
#include "reference/reference.h"

namespace spb::reference {

/// Values become those behind the activation, and the scales bound what it does to an error:
/// multiplied by its steepest slope, with its own roundings added. Values without scales, of exact
/// mode, are those of the same fp32 operations.
void activate(const Epilogue& epilogue, Expected& expected);

/// Sums without bias and residual become y of core/epilogue.h for scaled dtypes. Exact ones by the
/// same fp32 operations; scales of errors are left out, and the sums' own `abs_sum` stays, on which
/// exactness hangs. Others in fp64, with their scales of errors. `rows`: of compute().
void scale_sums(const Problem& problem, const Inputs& inputs, std::span<const int64_t> rows,
                bool exact, Expected& expected);

}  // namespace spb::reference
