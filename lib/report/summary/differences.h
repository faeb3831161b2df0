// SPDX-License-Identifier: Apache-2.0
// What changes from one GPU to another: who wins, and how long that takes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "report/summary/cases.h"
#include "report/summary/tables.h"

namespace spb::report {

/// Against the first GPU, a line for each other one and each of `runs` and many: the geometric mean
/// of the ratio of the winners' totals, and in how many cells another algorithm wins. Nothing for
/// fewer than two GPUs, or where they have no cell in common.
std::vector<std::string> difference_lines(const CaseSet& set, std::span<const int64_t> runs);

/// A row per cell that the first GPU and another one have: on each the winner at so many runs and
/// its total, and the ratio to the first GPU's. Another winner is strong and marked. No rows where
/// there is nothing to compare.
SummaryTable differences_table(const CaseSet& set, int64_t runs);

/// Per algorithm the geometric mean of the first GPU's time over each other GPU's, of the cells
/// that both have verified; no rows for fewer than two GPUs.
SummaryTable devices_table(const CaseSet& set);

}  // namespace spb::report
