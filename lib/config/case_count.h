// SPDX-License-Identifier: Apache-2.0
// How many cases lists span, before any is made: a suite of some words may span 10^9.
#pragma once

#include <string_view>

#include "config/suite_options.h"

namespace spb::config {

/// More than any device runs in a month.
inline constexpr double kMostCases = 1e6;

/// Of a block of shapes, for one algorithm, direction, dtype and row order.
double case_count(const Shapes& shapes);

/// Throws Error (usage) naming `where` beyond kMostCases.
void check_case_count(double cases, std::string_view where);

}  // namespace spb::config
