// SPDX-License-Identifier: Apache-2.0
// The verdict on every pair of times.
#pragma once

#include <optional>

#include "report/compare/compare.h"

namespace spb::report {

/// time_median_us.
std::optional<double> time_of(const Record& row);

/// Gives each row that has a ratio its interval and its verdict, and a p where both sides have five
/// rounds of samples. The order of rows does not matter: each has a seed of its own.
void judge_times(Comparison& comparison, const Side& base, const Side& next,
                 const CompareOptions& options);

}  // namespace spb::report
