// SPDX-License-Identifier: Apache-2.0
// `list tuning`: what is tuned, and whether it holds here.
#pragma once

#include <span>
#include <string>

#include "algorithms/algorithm.h"
#include "print_columns.h"

namespace spb::app {

/// Entries of the first device's tuning file, or of `file` unless it is empty; notes explain them.
/// How often which algorithm won, among classes that two or more were tuned for.
Lines list_win_rates(const std::string& file);

Lines list_tuning(const std::string& file, std::span<const Algorithm> algorithms);

}  // namespace spb::app
