// SPDX-License-Identifier: Apache-2.0
// Several runs of one build as one side of a comparison.
#pragma once

#include <vector>

#include "report/compare/compare.h"

namespace spb::report {

/// Rows that all runs measured become one, whose median is that of all samples and whose rounds are
/// those of all runs; it has no interval of its own. What all rows of a run have in common, its
/// drift, is taken out of its samples, and is told by Side::processes instead: rounds would show
/// it as noise, of each row for itself. A case that failed in one run has failed. A row without
/// samples in one of the runs keeps the time of the last run that has its case.
Side merge_runs(std::vector<Side> runs);

}  // namespace spb::report
