// SPDX-License-Identifier: Apache-2.0
#include "report/text/markdown.h"

#include <string_view>

#include "report/text/table_layout.h"

namespace spb::report {

std::string draw_markdown(const TableLayout& layout) {
  std::string text;
  if (!layout.heading.empty()) text.append("*").append(layout.heading).append("*\n\n");
  text += markdown_line(layout.headers) + markdown_rule(layout.numeric);
  for (const auto& row : layout.cells) text += markdown_line(row);
  for (const std::string& note : layout.notes)
    text.append("\n").append(markdown_text(note)).append("\n");
  return text;
}

std::string markdown_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("\\|*_<~`").find(c) != std::string_view::npos) result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string markdown_line(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text.append(" ").append(markdown_text(cell)).append(" |");
  return text + '\n';
}

std::string markdown_rule(const std::vector<bool>& numeric) {
  std::string text = "|";
  for (const bool right : numeric) text += right ? " ---: |" : " --- |";
  return text + '\n';
}

}  // namespace spb::report
