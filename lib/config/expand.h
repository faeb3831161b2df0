// SPDX-License-Identifier: Apache-2.0
// From options to the list of cases.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/case_spec.h"
#include "config/suite_options.h"

namespace spb::config {

/// The cross product of every block of shapes with algorithms, directions and dtypes, each case
/// once. Order: data (data set, size, row order) outermost, then geometry, channels, dtype,
/// direction, algorithm, so that data are loaded and maps built the fewest times.
/// Throws Error (usage) for an unknown algorithm with the nearest of `algorithm_names`, a block
/// without data set, and a geometry that is no convolution.
/// Those of `by_name_only` are not among "all".
std::vector<CaseSpec> expand(const SuiteOptions& options,
                             std::span<const std::string> algorithm_names,
                             std::span<const std::string> by_name_only = {});

}  // namespace spb::config
