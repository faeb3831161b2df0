// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <sstream>

#include "report/compare/tables.h"
#include "report/history/writers.h"

namespace spb::report {
namespace {

std::string cell_text(const HistoryPoint& point) {
  if (!point.time_us) return point.status;
  std::string text = time_text(*point.time_us);
  if (point.ratio) text += " " + change_text(*point.ratio);
  if (point.step == Step::changed) text += " *";
  if (point.step == Step::not_comparable) text += " !";
  return text;
}

/// Of the last run that has a time.
Tone tone_of(const HistoryLine& line) {
  for (auto point = line.points.rbegin(); point != line.points.rend(); ++point) {
    if (!point->time_us) continue;
    if (point->step != Step::changed) break;
    return *point->ratio > 1 ? Tone::worse : Tone::better;
  }
  return Tone::plain;
}

using Parts = std::vector<std::string>;

Parts parts_of(const std::string& name) {
  Parts parts;
  std::istringstream text(name);
  for (std::string part; std::getline(text, part, '/');) parts.push_back(part);
  return parts;
}

/// Names of rows are long and much alike: parts that all share go to the constants of the table.
void shorten_names(TableLayout& table) {
  if (table.cells.size() < 2) return;
  std::vector<Parts> names;
  for (const auto& cells : table.cells) names.push_back(parts_of(cells.front()));
  const Parts& first = names.front();
  const auto is_shared = [&](size_t i) {
    return std::ranges::all_of(names, [&](const Parts& name) {
      return name.size() == first.size() && name[i] == first[i];
    });
  };
  std::string shared;
  std::vector<std::string> kept(names.size());
  for (size_t i = 0; i < first.size(); ++i)
    if (is_shared(i))
      shared += (shared.empty() ? "" : ", ") + first[i];
    else
      for (size_t row = 0; row < names.size(); ++row)
        kept[row] += (kept[row].empty() ? "" : "/") + names[row][i];
  if (shared.empty()) return;
  for (size_t row = 0; row < names.size(); ++row) table.cells[row].front() = kept[row];
  table.heading += (table.heading.empty() ? "all rows: " : "\nall rows: ") + shared;
}

void add_notes(TableLayout& table, const std::vector<const HistoryLine*>& shown, size_t left_out) {
  std::set<std::string> differing;
  bool changed = false;
  for (const HistoryLine* line : shown) {
    changed |= line->has(Step::changed);
    for (const HistoryPoint& point : line->points)
      if (!point.differing.empty()) differing.insert(point.differing);
  }
  if (changed) table.notes.push_back("* the 95 % interval does not meet the one before");
  for (const std::string& one : differing)
    table.notes.push_back("! not comparable with the time before: " + one);
  if (left_out > 0) table.notes.push_back(fmt::format("{} more rows have no *", left_out));
}

TableLayout table_of(const std::string& device, const History& history, bool changed) {
  TableLayout table;
  table.heading = device;
  table.headers.push_back("row");
  table.numeric.push_back(false);
  for (const std::string& label : run_labels(history)) {
    table.headers.push_back(label);
    table.numeric.push_back(true);
  }
  std::vector<const HistoryLine*> shown;
  size_t left_out = 0;
  for (const HistoryLine& line : history.lines) {
    if (line.device != device) continue;
    if (changed && !line.has(Step::changed)) {
      ++left_out;
      continue;
    }
    shown.push_back(&line);
    std::vector<std::string>& cells = table.cells.emplace_back();
    cells.push_back(line.name);
    for (const HistoryPoint& point : line.points) cells.push_back(cell_text(point));
    table.tones.push_back(tone_of(line));
  }
  shorten_names(table);
  add_notes(table, shown, left_out);
  return table;
}

}  // namespace

std::vector<std::string> run_labels(const History& history) {
  constexpr size_t kDate = 10, kMinutes = 16;  // of 2026-01-02T03:04:05Z
  for (const size_t length : {kDate, kMinutes}) {
    std::vector<std::string> labels;
    for (const HistoryRun& run : history.runs)
      labels.push_back(run.timestamp.substr(0, length) + " " + run.commit);
    const std::set<std::string> different(labels.begin(), labels.end());
    if (different.size() == labels.size() || length == kMinutes) return labels;
  }
  return {};
}

std::vector<TableLayout> history_tables(const History& history, bool changed) {
  std::vector<TableLayout> tables;
  std::string device;
  for (const HistoryLine& line : history.lines)
    if (tables.empty() || device != line.device) {
      device = line.device;
      tables.push_back(table_of(device, history, changed));
    }
  return tables;
}

}  // namespace spb::report
