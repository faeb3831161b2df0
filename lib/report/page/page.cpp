// SPDX-License-Identifier: Apache-2.0
#include "report/page/page.h"

#include <fmt/format.h>

#include "page_assets.h"
#include "report/page/answers.h"
#include "report/page/cases.h"
#include "report/page/data.h"
#include "report/page/files.h"
#include "report/page/filters.h"
#include "report/page/html.h"
#include "report/records/fields.h"
#include "report/summary/answer.h"
#include "report/summary/differences.h"
#include "report/summary/summary.h"
#include "report/summary/tables.h"
#include "report/summary/totals.h"
#include "report/text/xml_text.h"

namespace spb::report {
namespace {

struct Section {
  const char* id;
  const char* heading;
  std::string content;  ///< a section without any is left out
};

std::string differences_html(const CaseSet& set, std::span<const int64_t> runs) {
  std::string text = html_list(difference_lines(set, runs));
  for (const int64_t count : with_many(runs)) {
    const SummaryTable table = differences_table(set, count);
    const TableFrame frame{fmt::format("differences-{}", count), "", "", true};
    text += count == runs.front() ? html_table(table, frame)
                                  : html_fold(table.title, html_table(table, frame));
  }
  return text + html_table(devices_table(set), {"speeds", "", "", false});
}

/// Of each device a fold with its tables.
template <typename Tables>
std::string per_device(const CaseSet& set, const char* title, Tables&& tables) {
  std::string text;
  for (size_t i = 0; i < set.devices.size(); ++i) {
    const DeviceCases& device = set.devices[i];
    const std::string summary =
        set.devices.size() > 1 ? fmt::format("{}: {}", title, device.title()) : title;
    text += html_fold(summary, tables(device, i));
  }
  return text;
}

std::string totals_html(const CaseSet& set, std::span<const int64_t> runs) {
  std::string text;
  for (size_t i = 0; i < set.devices.size(); ++i) {
    const DeviceCases& device = set.devices[i];
    SummaryTable table = totals_table(set, device, runs);
    if (set.devices.size() > 1) table.title += ": " + device.title();
    text += html_table(table, {fmt::format("totals-{}", i), device.title(), "", true});
  }
  return text;
}

std::string kernels_html(const CaseSet& set, Footnotes& footnotes) {
  const auto fastest = [&](const DeviceCases& device, size_t i) {
    return html_table(fastest_table(set, device),
                      {fmt::format("fastest-{}", i), device.title(), "", true});
  };
  const auto times = [&](const DeviceCases& device, size_t i) {
    std::string text;
    for (const SummaryTable& table : time_tables(set, device, footnotes)) {
      // Such a table is of one direction, which stands in its title alone.
      const std::string direction = table.title.substr(0, table.title.find(':'));
      text += html_table(
          table, {fmt::format("times-{}-{}", i, direction), device.title(), direction, true});
    }
    return text;
  };
  return per_device(set, "The fastest kernel of each cell", fastest) +
         per_device(set, "Kernel times, a column for each algorithm", times);
}

std::string runs_html(const RecordSet& records, const CaseSet& set) {
  std::string text = html_list(general_notes(records, set));
  if (!set.constants.empty())
    text += "<p class=\"note\">All cases: " + xml_text(common_text(set)) + "</p>\n";
  text += html_table(verdict_table(set), {"verdicts", "", "", false}) +
          html_table(runs_table(records), {"run-list", "", "", false});
  for (const Record& context : records.contexts) {
    std::string facts;
    for (const auto& [name, value] : context.values())
      if (const std::string shown = to_text(value); !shown.empty())
        facts += fmt::format("<dt>{}</dt><dd>{}</dd>\n", xml_text(name), xml_text(shown));
    text += fmt::format("<details><summary>all of {}</summary>\n<dl>\n{}</dl>\n</details>\n",
                        xml_text(context.text(columns::run_id)), facts);
  }
  return text;
}

std::string head_html(const std::string& title) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      // Nothing may come from elsewhere, whatever a record says.
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
      "<title>{0}</title>\n<style>\n{1}</style>\n</head>\n<body>\n<header>\n<h1>{0}</h1>\n"
      "<p class=\"lead\">Which sparse convolution algorithm is right, how fast it is, and what it "
      "costs in memory.</p>\n",
      xml_text(title), kPageStyle);
}

std::string sections_html(std::span<const Section> sections, const char* heading) {
  std::string text;
  for (const Section& section : sections)
    if (!section.content.empty())
      text += fmt::format(
          "<section id=\"{0}\" aria-labelledby=\"{0}-h\">\n<{1} id=\"{0}-h\">{2}</{1}>\n{3}"
          "</section>\n",
          section.id, heading, section.heading, section.content);
  return text;
}

std::string links_html(std::span<const Section> sections) {
  std::string text = "<nav aria-label=\"Sections\">";
  for (const Section& section : sections)
    if (!section.content.empty())
      text += fmt::format("<a href=\"#{}\">{}</a> ", section.id, section.heading);
  return text + "</nav>\n";
}

}  // namespace

std::string page(const RecordSet& records, const CaseSet& set, std::span<const Plot> plots,
                 std::span<const int64_t> runs, std::string_view records_file) {
  Footnotes footnotes;
  const std::string kernels = kernels_html(set, footnotes);
  const Section tables[] = {
      {"totals", "Winners by how many runs share a plan", totals_html(set, runs)},
      {"kernels", "Kernels alone", kernels},
      {"cases", "All cases", cases_section(set)},
      {"marks", "Marks", html_list(mark_notes(set, footnotes))},
  };
  const Section sections[] = {
      {"differences", "Differences", differences_html(set, runs)},
      {"answer", "What to use", answers_html(set, runs)},
      {"figures", "Figures",
       "<p id=\"no-figures\" class=\"note\">The figures are drawn by this page's script. All their "
       "numbers stand in the tables.</p>\n"},
      {"tables", "Tables", filters_html(set) + sections_html(tables, "h3")},
      {"runs", "Runs", runs_html(records, set)},
      {"files", "Files", files_section(plots, records_file)},
  };
  return head_html("spconv-bench: " + report_title(set)) + links_html(sections) +
         "</header>\n<main>\n" + sections_html(sections, "h2") +
         "</main>\n<script type=\"application/json\" id=\"data\">" + page_data(set, runs) +
         "</script>\n<script>\n\"use strict\";\n(() => {\n" + kPageScript +
         "})();\n</script>\n</body>\n</html>\n";
}

}  // namespace spb::report
