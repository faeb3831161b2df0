// SPDX-License-Identifier: Apache-2.0
// What `list` prints, as words.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"

namespace spb::app {

/// The names of `list WHAT`: of algorithms, kernels, datasets, dtypes, suites ...
std::vector<std::string> list_names(const std::string& what, std::span<const Algorithm> algorithms);

/// What can be listed.
std::vector<std::string> list_kinds();

}  // namespace spb::app
