// SPDX-License-Identifier: Apache-2.0
// What a person reads in a terminal when a run has ended: a row for each case.
#pragma once

#include <cstdint>
#include <vector>

#include "report/summary/cases.h"
#include "report/text/table_layout.h"

namespace spb::report {

/// A table per device: what is equal in all cases once above, units in headers, cases of a cell by
/// their total at `runs` runs, the least one marked; failures once below. Columns are left out, the
/// least telling first, until a line has at most `width` columns of the terminal (0: any number),
/// and a note names them.
std::vector<TableLayout> case_tables(const CaseSet& set, int64_t runs, size_t width);

}  // namespace spb::report
