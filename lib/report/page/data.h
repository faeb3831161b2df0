// SPDX-License-Identifier: Apache-2.0
// The numbers that the page's script draws its figures from.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "report/summary/cases.h"

namespace spb::report {

/// JSON on one line that may stand in a script element: it has no `<`. Columns are named once, rows
/// are arrays, and names are indices into the lists beside them. Times are in microseconds with
/// five digits; null is what was not measured. `times` has a row for each case proven right and
/// timed, with its totals at each of `runs` and at many (0); `cells` a row for each cell, with who
/// wins there.
std::string page_data(const CaseSet& set, std::span<const int64_t> runs);

}  // namespace spb::report
