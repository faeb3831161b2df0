// SPDX-License-Identifier: Apache-2.0
#include "report/summary/case_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>

#include "core/one_line.h"
#include "report/summary/answer.h"
#include "report/summary/summary.h"
#include "report/summary/totals.h"

namespace spb::report {
namespace {

constexpr size_t kLeastName = 12;  // columns that a shortened name keeps
constexpr const char* kNoisy = "~";

/// A case and what it came to.
struct Line {
  const Case* one;
  Total total;
  double times = NAN;  ///< the least total
};

struct Drawn {
  std::string header;
  bool numeric;
  bool key;        ///< says which case: once above where equal in all
  int importance;  ///< 0: never left out; else the highest goes first
  std::function<std::string(const Line&)> cell;
};

/// Times as their unit has it, noisy ones marked.
std::string time_cell(const Record* row, const TimeUnit& unit) {
  if (!row) return {};
  const std::string text = three_digits(number_of(*row, columns::time_median_us) / unit.factor_us);
  const bool noisy = number_of(*row, columns::noise_rel) > kNoisyAbove;
  return text.empty() || !noisy ? text : text + kNoisy;
}

std::vector<Drawn> columns_of(const CaseSet& set, const DeviceCases& device, int64_t runs) {
  const TimeUnit unit = time_unit(device);
  const auto header = [&](const std::string& what) {
    return fmt::format("{} [{}]", what, unit.name);
  };
  const auto phase = [&](const char* what, const std::string& name, int importance) {
    return Drawn{header(what), true, false, importance,
                 [name, unit](const Line& line) { return time_cell(line.one->row(name), unit); }};
  };
  return {
      {"workload", false, true, 0,
       [&set](const Line& l) { return set.workloads[l.one->workload]; }},
      {"dtype", false, true, 0, [](const Line& l) { return l.one->dtype; }},
      {"direction", false, true, 0, [](const Line& l) { return l.one->direction; }},
      {"algorithm", false, false, 0, [](const Line& l) { return l.one->algorithm; }},
      {"verified", false, true, 0, [](const Line& l) { return verdict_text(*l.one); }},
      {"error/bound", true, false, 6,
       [](const Line& l) {
         return three_digits(number_of(*l.one->main, columns::err_max_tol_ratio));
       }},
      phase("cold", name(CacheState::cold), 1),
      phase("hot", name(CacheState::hot), 3),
      phase("plan", name(Phase::plan), 5),
      phase("maps", name(Phase::map_build), 7),
      {header(runs_text(runs)), true, false, 0,
       [unit](const Line& l) { return three_digits(l.total.us / unit.factor_us); }},
      {header("wall"), true, false, 4,
       [unit](const Line& l) {
         const Record* row = l.one->row(name(Phase::end_to_end));
         return row ? three_digits(number_of(*row, columns::wall_median_us) / unit.factor_us)
                    : std::string();
       }},
      {"x least", true, false, 0, [](const Line& l) { return three_digits(l.times); }},
      {"memory [MB]", true, false, 2,
       [](const Line& l) {
         return three_digits(number_of(*l.one->main, columns::peak_total_bytes) / 1e6);
       }},
  };
}

std::vector<Line> lines_of(const DeviceCases& device, int64_t runs) {
  std::vector<Line> lines;
  for (const Cell& cell : cells_of(device)) {
    const auto winner = winner_of(cell, runs);
    const size_t first = lines.size();
    for (const Case* one : cell) {
      Line& line = lines.emplace_back(Line{one, total_of(*one, runs)});
      if (!winner) continue;
      line.times = line.total.us / total_of(*winner->best, runs).us;
    }
    std::stable_sort(lines.begin() + static_cast<std::ptrdiff_t>(first), lines.end(),
                     [](const Line& a, const Line& b) {
                       if (a.total.is_known() != b.total.is_known()) return a.total.is_known();
                       return a.total.us < b.total.us;
                     });
  }
  return lines;
}

size_t width_of(const TableLayout& table) {
  size_t width = 0;
  for (size_t column = 0; column < table.headers.size(); ++column) {
    size_t widest = display_width(table.headers[column]);
    for (const auto& row : table.cells) widest = std::max(widest, display_width(row[column]));
    width += widest + (column > 0 ? 2 : 0);
  }
  return width;
}

void leave_out(TableLayout& table, size_t column) {
  const auto at = static_cast<std::ptrdiff_t>(column);
  table.headers.erase(table.headers.begin() + at);
  table.numeric.erase(table.numeric.begin() + at);
  for (auto& row : table.cells) row.erase(row.begin() + at);
}

/// Why cases have no time: each reason once, with the cases it is of.
std::vector<std::string> failures(std::span<const Line> lines) {
  std::vector<std::string> notes;
  std::map<std::string, std::vector<std::string>> by_reason;
  std::vector<std::string> order;
  for (const Line& line : lines) {
    const Record& row = *line.one->main;
    if (row.text(columns::status_detail).empty()) continue;
    const std::string reason = row.text(columns::status) + ": " + row.text(columns::status_detail);
    std::vector<std::string>& cases = by_reason[reason];
    if (cases.empty()) order.push_back(reason);
    const std::string who = line.one->algorithm + " " + line.one->direction;
    if (std::ranges::find(cases, who) == cases.end()) cases.push_back(who);
  }
  for (const std::string& reason : order) {
    const auto& cases = by_reason[reason];
    const std::string more =
        cases.size() > 3 ? fmt::format(" and {} more", cases.size() - 3) : std::string();
    const auto named = std::span(cases).first(std::min<size_t>(cases.size(), 3));
    notes.push_back(fmt::format("{}{}: {}", fmt::join(named, ", "), more, reason));
  }
  return notes;
}

/// Shortens the first column, which names the data, to what the others leave.
void shorten_names(TableLayout& table, size_t width) {
  size_t widest = 0;
  for (const auto& row : table.cells) widest = std::max(widest, display_width(row.front()));
  const size_t over = width_of(table) - width;
  const size_t room = widest > over + kLeastName ? widest - over : kLeastName;
  for (auto& row : table.cells) row.front() = ending(row.front(), room);
}

/// Columns that all rows share, once: "all cases: sphere:8 16→32 · f32 · subm ...".
std::string shared_text(const CaseSet& set, const std::vector<std::string>& shared) {
  std::string text;
  const auto add = [&](const std::string& what) {
    text += (text.empty() ? "all cases: " : " · ") + what;
  };
  for (const std::string& what : shared) add(one_line(what));
  if (const std::string constants = common_text(set); !constants.empty()) add(constants);
  return text;
}

TableLayout case_table(const CaseSet& set, const DeviceCases& device, int64_t runs, size_t width) {
  TableLayout table;
  const std::vector<Line> lines = lines_of(device, runs);
  table.cells.resize(lines.size());
  std::vector<int> importance;
  std::vector<std::string> shared;
  for (const Drawn& column : columns_of(set, device, runs)) {
    std::vector<std::string> cells;
    for (const Line& line : lines) cells.push_back(column.cell(line));
    if (std::ranges::all_of(cells, &std::string::empty)) continue;
    const bool constant = std::ranges::all_of(cells, [&](const auto& c) { return c == cells[0]; });
    if (column.key && constant && lines.size() > 1) {
      shared.push_back(cells[0]);
      continue;
    }
    for (size_t row = 0; row < cells.size(); ++row)
      table.cells[row].push_back(std::move(cells[row]));
    table.headers.push_back(column.header);
    table.numeric.push_back(column.numeric);
    importance.push_back(column.importance);
  }
  std::vector<std::string> left_out;
  while (width > 0 && width_of(table) > width) {
    const auto least = std::ranges::max_element(importance);
    if (least == importance.end() || *least == 0) break;
    const auto column = static_cast<size_t>(least - importance.begin());
    left_out.push_back(table.headers[column]);
    leave_out(table, column);
    importance.erase(least);
  }
  if (width > 0 && width_of(table) > width) shorten_names(table, width);

  std::vector<std::string> notes;
  if (std::ranges::any_of(lines, [](const Line& line) { return !std::isnan(line.times); }))
    notes.push_back(fmt::format(
        "x least: over the least time of the verified for maps, plan and {}", runs_text(runs)));
  const bool noisy = std::ranges::any_of(table.cells, [](const auto& row) {
    return std::ranges::any_of(row, [](const std::string& c) { return c.ends_with(kNoisy); });
  });
  if (std::ranges::any_of(table.headers, [](const auto& h) { return h.starts_with("wall "); }))
    notes.push_back("wall: maps, plan and one run by the host's clock, as a caller waits for them");
  if (noisy) notes.push_back(fmt::format("{} IQR above 5 % of the median", kNoisy));
  if (!left_out.empty())
    notes.push_back(fmt::format("left out for want of width: {}; they stand in results.csv",
                                fmt::join(left_out, ", ")));
  for (std::string& note : failures(lines)) notes.push_back(std::move(note));
  const auto fitted = [&](const std::string& line) {
    return fmt::format("{}", fmt::join(wrapped(line, width), "\n"));
  };
  const std::string common = shared_text(set, shared);
  if (device.is_host()) table.heading = fitted(kHostHeading);
  if (!common.empty()) table.heading += (table.heading.empty() ? "" : "\n") + fitted(common);
  for (const std::string& note : notes) table.notes.push_back(fitted(note));
  return table;
}

}  // namespace

std::vector<TableLayout> case_tables(const CaseSet& set, int64_t runs, size_t width) {
  std::vector<TableLayout> tables;
  for (const DeviceCases& device : set.devices)
    tables.push_back(case_table(set, device, runs, width));
  return tables;
}

}  // namespace spb::report
