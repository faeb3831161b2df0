// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "report/compare/tables.h"
#include "report/compare/writers.h"
#include "report/text/markdown.h"
#include "report/text/table.h"

namespace spb::report {
namespace {

/// The lines below the tables.
std::vector<std::string> closing(const CompareReport& report) {
  std::vector<std::string> lines = report.comparison.notes;
  if (const std::string differing = differing_text(report.comparison); !differing.empty())
    lines.push_back("not comparable: " + differing);
  lines.push_back(counts_text(report.comparison));
  lines.push_back(gate_text(report.comparison, report.gate));
  return lines;
}

}  // namespace

std::string compare_text(const CompareReport& report, bool color) {
  std::string text;
  for (const std::string& line :
       headline(report.comparison, report.base, report.next, report.options))
    text += line + '\n';
  for (const TableLayout& table : compare_tables(report.comparison, report.options, report.all))
    text += '\n' + draw_table(table, color);
  text += '\n';
  for (const std::string& line : closing(report)) text += line + '\n';
  return text;
}

std::string compare_markdown(const CompareReport& report) {
  std::string text = "# " + markdown_text(counts_text(report.comparison)) + "\n\n";
  for (const std::string& line :
       headline(report.comparison, report.base, report.next, report.options))
    text += "- " + markdown_text(line) + '\n';
  for (const TableLayout& table : compare_tables(report.comparison, report.options, report.all))
    text += '\n' + draw_markdown(table);
  text += '\n';
  for (const std::string& line : closing(report)) text += "- " + markdown_text(line) + '\n';
  return text;
}

}  // namespace spb::report
