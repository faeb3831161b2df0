// SPDX-License-Identifier: Apache-2.0
// A comparison as tables, before they are drawn in a terminal or as Markdown.
#pragma once

#include <string>
#include <vector>

#include "report/compare/compare.h"
#include "report/text/table_layout.h"

namespace spb::report {

/// Who was compared, how a ratio reads, how many rows matched: the lines above the tables.
std::vector<std::string> headline(const Comparison& comparison, const Side& base, const Side& next,
                                  const CompareOptions& options);

/// Per pair of devices the rows, worst first, the geometric means, plans that pay from some number
/// of runs on, and the bytes that changed.
/// Without `all`, rows that nothing happened to are left out, and of the others those beyond 60. A
/// GPU beside the host: no absolute times.
std::vector<TableLayout> compare_tables(const Comparison& comparison, const CompareOptions& options,
                                        bool all);

/// "3 slower, 1 faster, 96 same": how many rows came to what.
std::string counts_text(const Comparison& comparison);

/// "+4.2 %"
std::string change_text(double ratio);

/// "driver (570 / 580), gpu (NVIDIA H200 / AMD EPYC)": what made rows not comparable, with one
/// example each; empty when nothing did.
std::string differing_text(const Comparison& comparison);

}  // namespace spb::report
