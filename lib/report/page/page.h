// SPDX-License-Identifier: Apache-2.0
// report.html: one page that needs no network.
#pragma once

#include <span>
#include <string>

#include "report/plots/plots.h"
#include "report/records/read_records.h"
#include "report/summary/cases.h"

namespace spb::report {

/// The whole page: verdicts, fastest, plots (as SVG inside), times, all cases with their repro
/// lines, runs. Everything is readable without scripts; the script adds sorting, filters and copy
/// buttons. `plots` without SVG are left out, and the page says so. `#filter=WORDS` in its address
/// shows the cases that hold all words.
std::string page(const RecordSet& records, const CaseSet& set, std::span<const Plot> plots,
                 std::span<const int64_t> runs);

}  // namespace spb::report
