// SPDX-License-Identifier: Apache-2.0
#include "report/summary/summary.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "report/summary/answer.h"
#include "report/summary/dense_table.h"
#include "report/summary/differences.h"
#include "report/summary/tables.h"
#include "report/text/markdown.h"

namespace spb::report {
namespace {

std::string draw(const SummaryTable& table, const char* heading) {
  if (table.cells.empty()) return {};
  std::string text = fmt::format("{} {}\n\n", heading, markdown_text(table.title));
  text += markdown_line(table.headers) + markdown_rule(table.numeric);
  for (const auto& row : table.cells) {
    text += '|';
    for (const SummaryCell& cell : row) {
      const std::string shown = markdown_text(cell.text);
      text += cell.strong ? fmt::format(" **{}** |", shown) : fmt::format(" {} |", shown);
    }
    text += '\n';
  }
  return text + '\n';
}

std::string list(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "- " + markdown_text(line) + '\n';
  return text.empty() ? text : text + '\n';
}

/// Of the runs that say both; 0: none does.
double verify_share(const RecordSet& records) {
  double verify_s = 0, duration_s = 0;
  for (const Record& end : records.summaries)
    if (const auto taken = end.get(columns::verify_s)) {
      verify_s += *taken;
      duration_s += end.number_of("duration_s").value_or(0);
    }
  return duration_s > 0 ? verify_s / duration_s : 0;
}

}  // namespace

std::string report_title(const CaseSet& set) {
  if (set.devices.size() == 1) return set.devices.front().name;
  return fmt::format("{} devices", set.devices.size());
}

std::string common_text(const CaseSet& set) {
  std::string text;
  for (const auto& [name, value] : set.constants)
    text += fmt::format("{}{} {}", text.empty() ? "" : " · ", name, value);
  return text;
}

std::vector<std::string> general_notes(const RecordSet& records, const CaseSet& set) {
  std::vector<std::string> notes;
  std::set<std::string> names;  // a resumed run has several contexts
  for (const Record& context : records.contexts) names.insert(context.text(columns::run_id));
  const size_t runs = names.size();
  const auto ended =
      static_cast<size_t>(std::ranges::count_if(records.summaries, [](const Record& end) {
        const bool* interrupted = std::get_if<bool>(&end.value("interrupted"));
        return !interrupted || !*interrupted;
      }));
  if (ended < runs)
    notes.push_back(fmt::format("{} of {} runs did not come to their end: cases may be missing",
                                runs - ended, runs));
  if (set.superseded)
    notes.push_back(fmt::format(
        "{} cases were measured again by a later run on the same device, which is shown",
        set.superseded));
  if (const double share = verify_share(records); share > 0)
    notes.push_back(fmt::format("{:.0f} % of the runs' time was verification", 100 * share));
  return notes;
}

std::string summary(const RecordSet& records, const CaseSet& set, std::span<const int64_t> runs) {
  std::string text = fmt::format("# spconv-bench: {}\n\n", markdown_text(report_title(set)));
  text += draw(runs_table(records), "##");
  text += list(general_notes(records, set));
  text += draw(verdict_table(set), "##");
  if (!set.constants.empty()) text += "All cases: " + markdown_text(common_text(set)) + "\n\n";
  text += draw(devices_table(set), "##");
  Footnotes footnotes;
  for (const DeviceCases& device : set.devices) {
    text += fmt::format("## {}\n\n", markdown_text(device.title()));
    if (device.is_host()) text += fmt::format("{}\n\n", kHostHeading);
    text += list(answer_lines(device, runs));
    text += draw(totals_table(set, device, runs), "###");
    text += draw(fastest_table(set, device), "###");
    text += draw(dense_table(set, device), "###");
    for (const SummaryTable& table : time_tables(set, device, footnotes))
      text += draw(table, "###");
  }
  const std::vector<std::string> notes = mark_notes(set, footnotes);
  if (!notes.empty()) text += "## Marks\n\n" + list(notes);
  text.pop_back();
  return text;
}

}  // namespace spb::report
