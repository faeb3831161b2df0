// SPDX-License-Identifier: Apache-2.0
// Small pieces of HTML. All text of records goes through these.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/summary/tables.h"

namespace spb::report {

/// What a table is, beside its rows.
struct TableFrame {
  std::string id;         ///< in the page's address
  std::string device;     ///< of all rows; empty: a column says it, or none
  std::string direction;  ///< the same
  bool is_tall = false;   ///< has a limit of height, and scrolls within it
};

/// The box that scrolls, the table and its caption, as far as its head.
std::string open_table(const TableFrame& frame, std::string_view caption);
/// Behind the last row.
std::string close_table();

/// A whole table. The first cell of a row is its heading. Empty for a table without rows.
std::string html_table(const SummaryTable& table, const TableFrame& frame);

/// A list of lines; empty for none.
std::string html_list(const std::vector<std::string>& lines);

/// `content` behind a line to click on; open on paper.
std::string html_fold(std::string_view summary, const std::string& content);

}  // namespace spb::report
