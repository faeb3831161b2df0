// SPDX-License-Identifier: Apache-2.0
// A table that a person reads in a terminal.
#pragma once

#include <string>

#include "report/text/table_layout.h"

namespace spb::report {

/// Constants above, columns aligned, notes below; UTF-8. With `color`, rows stand in the color of
/// their tone (ANSI).
std::string draw_table(const TableLayout& layout, bool color = false);

}  // namespace spb::report
