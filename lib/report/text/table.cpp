// SPDX-License-Identifier: Apache-2.0
#include "report/text/table.h"

#include <algorithm>

#include "core/one_line.h"

namespace spb::report {
namespace {

std::string padded(const std::string& text, size_t width, bool right) {
  const std::string blanks(width - display_width(text), ' ');
  return right ? blanks + text : text + blanks;
}

/// Red, green, gray: worse, better, undecided.
std::string colored(std::string line, Tone tone) {
  constexpr const char* kCodes[] = {nullptr, "31", "32", "90"};
  const char* code = kCodes[static_cast<int>(tone)];
  if (!code) return line;
  line.pop_back();
  return std::string("\033[") + code + "m" + line + "\033[0m\n";
}

}  // namespace

std::string draw_table(const TableLayout& layout, bool color) {
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
      text += padded(one_line(cells[column]), widths[column], layout.numeric[column]);
    }
    text.resize(text.find_last_not_of(' ') + 1);
    return text + '\n';
  };

  std::string text;
  if (!layout.heading.empty()) text += layout.heading + '\n';
  if (!text.empty()) text += '\n';
  text += line(layout.headers);
  std::vector<std::string> rules;
  for (const size_t width : widths) rules.emplace_back(width, '-');
  text += line(rules);
  for (size_t row = 0; row < layout.cells.size(); ++row) {
    const bool plain = !color || layout.tones.empty();
    text += colored(line(layout.cells[row]), plain ? Tone::plain : layout.tones[row]);
  }
  for (const std::string& note : layout.notes) text += note + '\n';
  return text;
}

}  // namespace spb::report
