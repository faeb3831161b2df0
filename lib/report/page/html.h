// SPDX-License-Identifier: Apache-2.0
// Small pieces of HTML. All text of records goes through these.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/summary/tables.h"

namespace spb::report {

/// A table with a caption, in a box that scrolls sideways on narrow screens. The first cell of a
/// row is its heading. Empty for a table without rows.
std::string html_table(const SummaryTable& table);

/// A list of lines; empty for none.
std::string html_list(const std::vector<std::string>& lines);

}  // namespace spb::report
