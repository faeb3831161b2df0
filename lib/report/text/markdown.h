// SPDX-License-Identifier: Apache-2.0
// Tables as Markdown.
#pragma once

#include <string>
#include <vector>

#include "report/text/table_layout.h"

namespace spb::report {

/// Its heading, a pipe table, and its notes.
std::string draw_markdown(const TableLayout& layout);

/// Text that Markdown shows as it is.
std::string markdown_text(const std::string& text);

/// One line of a pipe table; the cells are text. Then the line below the headers.
std::string markdown_line(const std::vector<std::string>& cells);
std::string markdown_rule(const std::vector<bool>& numeric);

}  // namespace spb::report
