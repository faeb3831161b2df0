// SPDX-License-Identifier: Apache-2.0
#include "print_columns.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/one_line.h"
#include "report/text/table_layout.h"

namespace spb::app {
namespace {

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.+-e %") == std::string::npos;
}

struct Layout {
  size_t width = 0;
  bool numeric = true;
};

std::vector<Layout> layout(const Lines& lines) {
  std::vector<Layout> columns;
  for (size_t row = 0; row < lines.size(); ++row)
    for (size_t i = 0; i < lines[row].size(); ++i) {
      if (i == columns.size()) columns.emplace_back();
      columns[i].width = std::max(columns[i].width, report::display_width(lines[row][i]));
      const bool header = row == 0 && lines.size() > 1;
      columns[i].numeric &= header || is_number(lines[row][i]);
    }
  return columns;
}

}  // namespace

void print_columns(const Lines& lines) {
  const std::vector<Layout> columns = layout(lines);
  for (const auto& line : lines) {
    std::string text;
    for (size_t i = 0; i < line.size(); ++i) {
      const std::string blanks(columns[i].width - report::display_width(line[i]), ' ');
      if (i > 0) text += "  ";
      const std::string cell = one_line(line[i]);
      text += columns[i].numeric ? blanks + cell : cell + blanks;
    }
    text.resize(text.find_last_not_of(' ') + 1);
    fmt::print("{}\n", text);
  }
}

}  // namespace spb::app
