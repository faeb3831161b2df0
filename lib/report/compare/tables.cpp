// SPDX-License-Identifier: Apache-2.0
#include "report/compare/tables.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

#include "report/compare/break_even.h"
#include "report/compare/drift_text.h"
#include "report/compare/match.h"
#include "report/compare/means.h"
#include "report/compare/times.h"
#include "report/records/fields.h"

namespace spb::report {
namespace {

constexpr size_t kRowsShown = 60;
constexpr const char* kWider = "w";

struct Look {
  int order;  ///< the worst first
  Tone tone;
  bool shown;  ///< without --all
};

Look look(Change change) {
  switch (change) {
    case Change::incorrect:
      return {0, Tone::worse, true};
    case Change::error:
      return {1, Tone::worse, true};
    case Change::slower:
      return {2, Tone::worse, true};
    case Change::inconclusive:
      return {3, Tone::undecided, true};
    case Change::faster:
      return {4, Tone::better, true};
    case Change::fixed:
      return {5, Tone::better, true};
    case Change::relative:
      return {6, Tone::plain, true};
    case Change::missing:
      return {7, Tone::undecided, true};
    case Change::failing:
      return {8, Tone::undecided, true};
    case Change::not_comparable:
      return {9, Tone::undecided, false};
    case Change::added:
      return {10, Tone::plain, false};
    case Change::same:
      return {11, Tone::plain, false};
  }
  return {};
}

/// Grows by columns; one that holds nothing is left out.
class Columns {
 public:
  explicit Columns(size_t rows) { table_.cells.resize(rows); }
  template <typename Cell>
  void add(const std::string& header, bool numeric, const Cell& cell) {
    std::vector<std::string> cells;
    for (size_t row = 0; row < table_.cells.size(); ++row) cells.push_back(cell(row));
    if (std::ranges::all_of(cells, &std::string::empty)) return;
    table_.headers.push_back(header);
    table_.numeric.push_back(numeric);
    for (size_t row = 0; row < cells.size(); ++row)
      table_.cells[row].push_back(std::move(cells[row]));
  }
  TableLayout& table() { return table_; }

 private:
  TableLayout table_;
};

std::string ratio_text(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.3f}", *ratio) : "";
}

std::string interval_text(const std::optional<Interval>& interval, bool resampled) {
  if (!interval) return "";
  return fmt::format("{:.3f} to {:.3f}{}", interval->lo, interval->hi, resampled ? "" : kWider);
}

std::string speedup_text(const std::optional<double>& speedup) {
  return speedup ? three_digits(*speedup) : "";
}

std::string median_text(const Record* row) {
  const auto time = row ? time_of(*row) : std::nullopt;
  return time ? time_text(*time) : "";
}

std::string percent_cell(const Record* row, const Column<Real>& column) {
  const auto value = row ? row->number(column) : std::nullopt;
  return value ? three_digits(*value) : "";
}

std::string row_text(const Record& row) {
  const std::string id = row.text(columns::case_id);
  return id.empty() ? case_name(row) : id;
}

/// The rows to show, worst first.
std::vector<const ComparedRow*> chosen(const DeviceComparison& device, bool all, size_t& left_out) {
  std::vector<const ComparedRow*> rows;
  for (const ComparedRow& row : device.rows)
    if (all || look(row.change).shown) rows.push_back(&row);
  std::ranges::stable_sort(rows, [](const ComparedRow* a, const ComparedRow* b) {
    const int before = look(a->change).order, after = look(b->change).order;
    if (before != after) return before < after;
    if (a->change != Change::slower && a->change != Change::faster) return false;
    return std::abs(std::log(*a->ratio)) > std::abs(std::log(*b->ratio));
  });
  left_out = all || rows.size() <= kRowsShown ? 0 : rows.size() - kRowsShown;
  rows.resize(rows.size() - left_out);
  return rows;
}

TableLayout rows_table(const DeviceComparison& device, const CompareOptions& options, bool all) {
  size_t left_out = 0;
  const std::vector<const ComparedRow*> rows = chosen(device, all, left_out);
  Columns columns(rows.size());
  const auto add = [&](const std::string& header, bool numeric, const auto& cell) {
    columns.add(header, numeric, [&](size_t i) { return cell(*rows[i]); });
  };
  add("row", false, [](const ComparedRow& row) { return row_text(row.either()); });
  if (!device.relative) {
    add("BASE", true, [](const ComparedRow& row) { return median_text(row.base); });
    add("NEW", true, [](const ComparedRow& row) { return median_text(row.next); });
    add("ratio", true, [](const ComparedRow& row) { return ratio_text(row.ratio); });
    add("95 % interval", true,
        [](const ComparedRow& row) { return interval_text(row.interval, row.resampled); });
    add("change", true,
        [](const ComparedRow& row) { return row.ratio ? change_text(*row.ratio) : ""; });
    add("p", true,
        [](const ComparedRow& row) { return row.p ? fmt::format("{:.3f}", *row.p) : ""; });
  }
  if (!device.same_device) {
    const std::string over = "over " + options.reference;
    add("BASE % of roofline", true,
        [](const ComparedRow& row) { return percent_cell(row.base, columns::roofline_pct); });
    add("NEW % of roofline", true,
        [](const ComparedRow& row) { return percent_cell(row.next, columns::roofline_pct); });
    add("BASE " + over, true,
        [](const ComparedRow& row) { return speedup_text(row.base_speedup); });
    add("NEW " + over, true, [](const ComparedRow& row) { return speedup_text(row.next_speedup); });
  }
  add("verdict", false, [](const ComparedRow& row) { return std::string(name(row.change)); });
  add("why", false, [](const ComparedRow& row) { return row.detail; });
  TableLayout& table = columns.table();
  bool wider = false;
  for (const ComparedRow* row : rows) {
    table.tones.push_back(look(row->change).tone);
    wider |= row->interval && !row->resampled;
  }
  if (wider)
    table.notes.push_back(fmt::format(
        "{} from the intervals of the two medians, wider than from samples (run --samples)",
        kWider));
  if (left_out > 0) table.notes.push_back(fmt::format("{} more rows: see --all", left_out));
  return table;
}

TableLayout means_table(const DeviceComparison& device, const CompareOptions& options) {
  const std::vector<GeometricMean> means = geometric_means(device);
  Columns columns(means.size());
  const auto add = [&](const std::string& header, bool numeric, const auto& cell) {
    columns.add(header, numeric, [&](size_t i) { return cell(means[i]); });
  };
  columns.table().heading =
      "geometric means" + (device.same_device ? "" : ", speedups over " + options.reference);
  add("algorithm", false, [](const GeometricMean& mean) { return mean.algorithm; });
  add("phase", false, [](const GeometricMean& mean) { return mean.phase; });
  add("rows", true, [](const GeometricMean& mean) { return fmt::format("{}", mean.rows); });
  if (!device.same_device) {
    add("speedup on " + device.base_name, true,
        [](const GeometricMean& mean) { return speedup_text(mean.base_speedup); });
    add("speedup on " + device.next_name, true,
        [](const GeometricMean& mean) { return speedup_text(mean.next_speedup); });
    add("% of roofline on " + device.base_name, true,
        [](const GeometricMean& mean) { return speedup_text(mean.base_roofline); });
    add("% of roofline on " + device.next_name, true,
        [](const GeometricMean& mean) { return speedup_text(mean.next_roofline); });
  }
  add("ratio", true, [](const GeometricMean& mean) { return ratio_text(mean.ratio); });
  add("95 % interval", true,
      [](const GeometricMean& mean) { return interval_text(mean.interval, true); });
  add("change", true,
      [](const GeometricMean& mean) { return mean.ratio ? change_text(*mean.ratio) : ""; });
  return columns.table();
}

TableLayout break_even_table(const DeviceComparison& device, const CompareOptions& options) {
  const std::vector<BreakEven> all = break_evens(device, options);
  Columns columns(all.size());
  const auto add = [&](const std::string& header, bool numeric, const auto& cell) {
    columns.add(header, numeric, [&](size_t i) { return cell(all[i]); });
  };
  columns.table().heading = "shorter runs for a longer plan, of the fastest verified algorithm";
  add("workload", false, [](const BreakEven& one) { return one.workload; });
  add("BASE", false, [](const BreakEven& one) { return one.base.algorithm; });
  add("plan", true, [](const BreakEven& one) { return time_text(one.base.plan_us); });
  add("run", true, [](const BreakEven& one) { return time_text(one.base.run_us); });
  add("NEW", false, [](const BreakEven& one) { return one.next.algorithm; });
  add("plan", true, [](const BreakEven& one) { return time_text(one.next.plan_us); });
  add("run", true, [](const BreakEven& one) { return time_text(one.next.run_us); });
  add("break-even", false, [](const BreakEven& one) {
    return fmt::format("{} from {} run{} on", one.next_runs_faster ? "NEW" : "BASE", one.runs,
                       one.runs == 1 ? "" : "s");
  });
  return columns.table();
}

TableLayout memory_table(const DeviceComparison& device) {
  std::vector<const MemoryChange*> changes;
  for (const MemoryChange& change : device.memory) changes.push_back(&change);
  std::stable_partition(changes.begin(), changes.end(),
                        [](const MemoryChange* change) { return change->worse; });
  Columns columns(changes.size());
  const auto add = [&](const std::string& header, bool numeric, const auto& cell) {
    columns.add(header, numeric, [&](size_t i) { return cell(*changes[i]); });
  };
  columns.table().heading = "memory";
  add("case", false, [](const MemoryChange& change) { return change.case_name; });
  add("count", false, [](const MemoryChange& change) { return std::string(change.column); });
  add("BASE [bytes]", true,
      [](const MemoryChange& change) { return fmt::format("{}", change.base); });
  add("NEW [bytes]", true,
      [](const MemoryChange& change) { return fmt::format("{}", change.next); });
  add("change", true, [](const MemoryChange& change) {
    if (change.base == 0) return std::string("from 0");
    return change_text(static_cast<double>(change.next) / static_cast<double>(change.base));
  });
  add("verdict", false, [](const MemoryChange& change) {
    return std::string(change.worse ? "larger" : change.next < change.base ? "smaller" : "allowed");
  });
  for (const MemoryChange* change : changes)
    columns.table().tones.push_back(change->worse                 ? Tone::worse
                                    : change->next < change->base ? Tone::better
                                                                  : Tone::plain);
  return columns.table();
}

/// "BASE results/base: NVIDIA H200, spconv-bench 0.1.0 at 22d5eb9, 2026-11-21T17:53:33Z"
std::string side_text(const char* role, const Side& side) {
  std::string text = std::string(role) + " " + side.path;
  if (side.records.rows.empty()) return text;
  const Record& row = side.records.rows.front();
  text += fmt::format(": {}, spconv-bench {}", device_name(row), row.text(columns::tool_version));
  if (const std::string commit = row.text(columns::git_sha); !commit.empty())
    text += fmt::format(" at {}{}", commit.substr(0, 7),
                        row.get(columns::git_dirty) == true ? " with changes" : "");
  const std::string written = row.text(columns::timestamp_utc);
  return written.empty() ? text : text + ", " + written;
}

}  // namespace

std::string change_text(double ratio) { return fmt::format("{:+.1f} %", 100 * (ratio - 1)); }

std::string counts_text(const Comparison& comparison) {
  std::string text;
  for (int i = 0; i < kChanges; ++i) {
    const auto change = static_cast<Change>(i);
    if (const int64_t count = comparison.count(change); count > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name(change));
  }
  return text;
}

std::string differing_text(const Comparison& comparison) {
  std::string text;
  for (const auto& [condition, values] : comparison.differing)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", condition, values);
  return text;
}

std::vector<std::string> headline(const Comparison& comparison, const Side& base, const Side& next,
                                  const CompareOptions& options) {
  std::vector<std::string> lines{side_text("BASE", base), side_text("NEW ", next)};
  lines.push_back(fmt::format("{} rows matched, {} only in BASE, {} only in NEW",
                              comparison.matched, comparison.count(Change::missing),
                              comparison.count(Change::added)));
  const bool has_chains = !std::ranges::all_of(next.records.rows, is_host);
  lines.push_back(fmt::format(
      "ratio = NEW / BASE of medians: above 1 is slower; slower or faster beyond {:.3g} % and "
      "{}{}, with 95 % confidence{}",
      100 * options.threshold, time_text(options.floor_us),
      has_chains ? fmt::format(", {} for other phases than kernel",
                               time_text(std::max(options.floor_us, options.chain_floor_us)))
                 : "",
      comparison.judged > 1 ? fmt::format(" for {} rows together", comparison.judged) : ""));
  std::ranges::copy(drift_lines(comparison), std::back_inserter(lines));
  return lines;
}

std::vector<TableLayout> compare_tables(const Comparison& comparison, const CompareOptions& options,
                                        bool all) {
  std::vector<TableLayout> tables;
  for (const DeviceComparison& device : comparison.devices) {
    TableLayout layouts[] = {rows_table(device, options, all), means_table(device, options),
                             break_even_table(device, options), memory_table(device)};
    layouts[0].heading = device.same_device ? device.next_name
                                            : fmt::format("BASE on {}, NEW on {}", device.base_name,
                                                          device.next_name);
    if (device.relative)
      layouts[0].heading +=
          ": a GPU and the host, only what is relative to their own device is compared";
    for (TableLayout& table : layouts)
      if (!table.cells.empty()) tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace spb::report
