// SPDX-License-Identifier: Apache-2.0
// The sentence that a user came for: which algorithm, by how much, over what, from how many runs
// on, how sure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "report/summary/cases.h"
#include "report/summary/tables.h"

namespace spb::report {

/// Runs that share a plan where nobody says: a point cloud of its own for each run, then the four
/// layers of a stage that share its maps.
inline constexpr int64_t kUsualRuns[] = {1, 4};

/// "1 run", "4 runs", "many runs".
std::string runs_text(int64_t runs);

/// First, where most times are noisy, that they are. Of one cell: the winner at the first of
/// `runs`, the break-even, its settings and the command that repeats it. Of several: how many each
/// algorithm wins, a line for each of `runs` and for many. Nothing where nothing is proven right
/// and timed.
std::vector<std::string> answer_lines(const DeviceCases& device, std::span<const int64_t> runs);

/// A row per cell: the winner with its total at each of `runs`, the fastest kernel, and from how
/// many runs on that wins.
SummaryTable totals_table(const CaseSet& set, const DeviceCases& device,
                          std::span<const int64_t> runs);

}  // namespace spb::report
