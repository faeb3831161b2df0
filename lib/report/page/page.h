// SPDX-License-Identifier: Apache-2.0
// report.html: one page that needs no network.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/plots/plots.h"
#include "report/records/read_records.h"
#include "report/summary/cases.h"

namespace spb::report {

/// The whole page: what differs between GPUs, what to use, figures, tables, all cases with their
/// repro lines, runs, links. Everything but the figures is readable without scripts; the script
/// draws the figures, and adds filters, sorting and copy buttons. `plots` are those drawn, to link
/// to; `records_file` the name of the records beside the page, empty when they lie elsewhere.
std::string page(const RecordSet& records, const CaseSet& set, std::span<const Plot> plots,
                 std::span<const int64_t> runs, std::string_view records_file);

}  // namespace spb::report
