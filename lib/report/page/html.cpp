// SPDX-License-Identifier: Apache-2.0
#include "report/page/html.h"

#include <fmt/format.h>

#include "report/text/xml_text.h"

namespace spb::report {

std::string html_table(const SummaryTable& table) {
  if (table.cells.empty()) return {};
  const std::string title = xml_text(table.title);
  std::string text = fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\">\n<table>\n"
      "<caption>{0}</caption>\n<thead><tr>",
      title);
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
  return text + "</tbody>\n</table>\n</div>\n";
}

std::string html_list(const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  std::string text = "<ul>\n";
  for (const std::string& line : lines) text += "<li>" + xml_text(line) + "</li>\n";
  return text + "</ul>\n";
}

}  // namespace spb::report
