// SPDX-License-Identifier: Apache-2.0
// The table that a person reads in a terminal.
#pragma once

#include <span>
#include <string>

#include "core/record.h"
#include "report/text/table_layout.h"

namespace spb::report {

/// Constant columns once above, units in headers, three significant digits, the fastest verified
/// row of each case marked; unverified rows are never ranked; host rows stand in a table of their
/// own. UTF-8, no color. Empty for no records.
std::string table(std::span<const Record> records);

/// One table of that kind. With `color`, rows stand in the color of their tone (ANSI).
std::string draw_table(const TableLayout& layout, bool color = false);

}  // namespace spb::report
