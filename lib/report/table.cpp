#include "report/table.h"

#include <algorithm>

#include "report/table_layout.h"

namespace spb::report {
namespace {

std::string padded(const std::string& text, size_t width, bool right) {
  const std::string blanks(width - display_width(text), ' ');
  return right ? blanks + text : text + blanks;
}

std::string draw(const TableLayout& layout) {
  std::vector<size_t> widths;
  for (size_t column = 0; column < layout.headers.size(); ++column) {
    widths.push_back(display_width(layout.headers[column]));
    for (const auto& row : layout.cells)
      widths.back() = std::max(widths.back(), display_width(row[column]));
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (size_t column = 0; column < cells.size(); ++column) {
      if (column) text += "  ";
      text += padded(cells[column], widths[column], layout.numeric[column]);
    }
    text.resize(text.find_last_not_of(' ') + 1);
    return text + '\n';
  };

  std::string text;
  if (!layout.heading.empty()) text += layout.heading + '\n';
  size_t widest = 0;
  for (const auto& [name, value] : layout.constants) widest = std::max(widest, display_width(name));
  for (const auto& [name, value] : layout.constants)
    text += padded(name, widest, false) + "  " + value + '\n';
  if (!text.empty()) text += '\n';
  text += line(layout.headers);
  std::vector<std::string> rules;
  for (const size_t width : widths) rules.emplace_back(width, '-');
  text += line(rules);
  for (const auto& row : layout.cells) text += line(row);
  for (const std::string& note : layout.notes) text += note + '\n';
  return text;
}

}  // namespace

std::string table(std::span<const Record> records) {
  std::string text;
  for (const TableLayout& layout : layout_tables(records))
    text.append(text.empty() ? "" : "\n").append(draw(layout));
  return text;
}

}  // namespace spb::report
