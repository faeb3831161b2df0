// SPDX-License-Identifier: Apache-2.0
#include "report/page/html.h"

#include <fmt/format.h>

#include "report/text/xml_text.h"

namespace spb::report {
namespace {

/// ` name="text"`, or nothing for no text.
std::string attribute(const char* name, const std::string& text) {
  return text.empty() ? "" : fmt::format(" {}=\"{}\"", name, xml_text(text));
}

}  // namespace

std::string open_table(const TableFrame& frame, std::string_view caption) {
  return fmt::format(
      "<div class=\"scroll{}\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n"
      "<table{}{}{}>\n<caption>{}</caption>\n",
      frame.is_tall ? " tall" : "", xml_text(caption), attribute("id", frame.id),
      attribute("data-device", frame.device), attribute("data-direction", frame.direction),
      xml_text(caption));
}

std::string close_table() { return "</tbody>\n</table>\n</div>\n"; }

std::string html_table(const SummaryTable& table, const TableFrame& frame) {
  if (table.cells.empty()) return {};
  std::string text = open_table(frame, table.title) + "<thead><tr>";
  const auto numeric = [&](size_t column) { return table.numeric[column] ? " class=\"n\"" : ""; };
  for (size_t column = 0; column < table.headers.size(); ++column)
    text += fmt::format("<th scope=\"col\"{}>{}</th>", numeric(column),
                        xml_text(table.headers[column]));
  text += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.cells) {
    text += "<tr>";
    for (size_t column = 0; column < row.size(); ++column) {
      const std::string shown = xml_text(row[column].text);
      const std::string inner = row[column].strong ? "<strong>" + shown + "</strong>" : shown;
      text += column == 0 ? fmt::format("<th scope=\"row\">{}</th>", inner)
                          : fmt::format("<td{}>{}</td>", numeric(column), inner);
    }
    text += "</tr>\n";
  }
  return text + close_table();
}

std::string html_list(const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  std::string text = "<ul>\n";
  for (const std::string& line : lines) text += "<li>" + xml_text(line) + "</li>\n";
  return text + "</ul>\n";
}

std::string html_fold(std::string_view summary, const std::string& content) {
  if (content.empty()) return {};
  return fmt::format("<details class=\"fold\"><summary>{}</summary>\n{}</details>\n",
                     xml_text(summary), content);
}

}  // namespace spb::report
