// SPDX-License-Identifier: Apache-2.0
#include "report/summary/tables.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

#include "report/records/fields.h"
#include "report/summary/rows.h"
#include "report/text/table_layout.h"

namespace spb::report {
namespace {

constexpr const char* kFastestMark = " *";

/// The order of verdict columns; what is none of these comes last.
constexpr const char* kVerdicts[] = {name(VerifyStatus::pass),  name(Status::throttled),
                                     name(Status::incorrect),   name(Status::mistrusted),
                                     name(Status::unsupported), name(Status::skipped),
                                     name(Status::oom),         name(Status::error),
                                     name(Status::timeout),     name(VerifyStatus::not_run)};

/// What a reader must know of a measured time.
struct Mark {
  const char* sign;
  const char* meaning;
  bool (*applies)(const Record& row);
};
bool is_throttled(const Record& row) { return row.get(columns::status) == Status::throttled; }
constexpr Mark kMarks[] = {
    {" ~", "noisy: IQR above 5 % of the median",
     [](const Record& row) { return number_of(row, columns::noise_rel) > kNoisyAbove; }},
    {" †", "measured while the device throttled; not ranked", is_throttled},
    {" ?", "faster than memory can be read: caches were not cold",
     [](const Record& row) { return to_text(row.value(columns::cold_suspect)) == "1"; }},
    {" ˇ", "below 20 times what an empty kernel takes: hot is the better number",
     [](const Record& row) { return to_text(row.value(columns::near_floor)) == "1"; }},
};

std::string scaled(double time_us, const TimeUnit& unit) {
  return std::isnan(time_us) ? "" : three_digits(time_us / unit.factor_us);
}

std::string marked_time(const Record& row, const TimeUnit& unit) {
  std::string text = scaled(number_of(row, columns::time_median_us), unit);
  for (const Mark& mark : kMarks)
    if (mark.applies(row)) text += mark.sign;
  return text;
}

SummaryCell time_cell(const Case& one, const TimeUnit& unit, Footnotes& footnotes) {
  const Record& row = *one.main;
  const bool timed = !std::isnan(number_of(row, columns::time_median_us));
  SummaryCell cell{timed ? marked_time(row, unit) : verdict_text(one), one.fastest};
  if (timed && verdict_text(one) != name(VerifyStatus::pass) && !is_throttled(row))
    cell.text += ", " + verdict_text(one);
  if (one.fastest) cell.text += kFastestMark;
  cell.text += footnotes.mark(row.text(columns::status_detail));
  return cell;
}

std::vector<SummaryCell> cells(const std::vector<std::string>& texts) {
  std::vector<SummaryCell> row;
  for (const std::string& text : texts) row.push_back({text});
  return row;
}

const Case* find_case(const Cell& cell, const std::string& algorithm) {
  for (const Case* one : cell)
    if (one->algorithm == algorithm) return one;
  return nullptr;
}

/// The second fastest of a cell, or null.
const Case* next_of(const Cell& cell, const Case* fastest) {
  Cell others;
  for (const Case* one : cell)
    if (one != fastest) others.push_back(one);
  return fastest_of(others);
}

/// `rows` are cells of one direction.
SummaryTable time_table(const CaseSet& set, const DeviceCases& device,
                        const std::vector<Cell>& rows, Footnotes& footnotes) {
  const TimeUnit unit = time_unit(device);
  SummaryTable table;
  table.title =
      fmt::format("{}: {} time [{}]", rows.front().front()->direction, device.cache, unit.name);
  table.add_column("workload");
  table.add_column("dtype");
  for (const std::string& algorithm : set.algorithms) table.add_column(algorithm, true);
  for (const Cell& cell : rows) {
    const Case& first = *cell.front();
    std::vector<SummaryCell>& line = table.cells.emplace_back();
    line.push_back({set.workloads[first.workload]});
    line.push_back({first.dtype});
    for (const std::string& algorithm : set.algorithms) {
      const Case* one = find_case(cell, algorithm);
      line.push_back(one ? time_cell(*one, unit, footnotes) : SummaryCell{});
    }
  }
  return table;
}

}  // namespace

void SummaryTable::add_column(const std::string& header, bool is_numeric) {
  headers.push_back(header);
  numeric.push_back(is_numeric);
}

std::string Footnotes::mark(const std::string& remark) {
  if (remark.empty()) return {};
  auto found = std::ranges::find(remarks_, remark);
  if (found == remarks_.end()) found = remarks_.insert(found, remark);
  return fmt::format(" [{}]", found - remarks_.begin() + 1);
}

TimeUnit time_unit(const DeviceCases& device) {
  double smallest = INFINITY;
  for (const Case& one : device.cases) smallest = std::fmin(smallest, time_us(one));
  return smallest < 1e3 || std::isinf(smallest) ? TimeUnit{1, "µs"} : TimeUnit{1e3, "ms"};
}

RateUnit rate_unit(const Cell& cases) {
  for (const Case* one : cases)
    if (number_of(*one->main, columns::throughput_gflops) > 1e4) return {1e3, "TFLOP/s"};
  return {1, "GFLOP/s"};
}

std::string verdict_text(const Case& one) {
  const std::string status = one.main->text(columns::status);
  return status == name(Status::ok) ? one.main->text(columns::verify_status) : status;
}

SummaryTable runs_table(const RecordSet& records) {
  SummaryTable table;
  table.title = "Runs";
  for (const char* header : {"run", "device", "driver", "spconv-bench", "commit", "build"})
    table.add_column(header);
  table.add_column("rows", true);
  // A run may be of several devices.
  std::map<std::pair<std::string, std::string>, std::pair<const Record*, size_t>> runs;
  for (const Record& row : records.rows) {
    auto& [first, count] = runs[{row.text(columns::run_id), row.text(columns::gpu_name)}];
    if (!first) first = &row;
    ++count;
  }
  for (const auto& [run, found] : runs) {
    const Record& row = *found.first;
    const bool dirty = to_text(row.value(columns::git_dirty)) == "1";
    table.cells.push_back(
        cells({run.first, row.text(columns::gpu_name) + " (" + row.text(columns::backend) + ")",
               row.text(columns::driver_version), row.text(columns::tool_version),
               row.text(columns::git_sha).substr(0, 12) + (dirty ? " with changes" : ""),
               row.text(columns::build_type), fmt::format("{}", found.second)}));
  }
  return table;
}

SummaryTable verdict_table(const CaseSet& set) {
  std::vector<std::string> verdicts(std::begin(kVerdicts), std::end(kVerdicts));
  std::map<std::string, std::map<std::string, int>> counts;
  std::set<std::string> used;
  for (const DeviceCases& device : set.devices)
    for (const Case& one : device.cases) {
      const std::string verdict = verdict_text(one);
      ++counts[device.title()][verdict];
      used.insert(verdict);
      if (std::ranges::find(verdicts, verdict) == verdicts.end()) verdicts.push_back(verdict);
    }
  std::erase_if(verdicts, [&](const std::string& verdict) { return !used.contains(verdict); });
  SummaryTable table;
  table.title = "Verdicts";
  table.add_column("device");
  table.add_column("cases", true);
  for (const std::string& verdict : verdicts) table.add_column(verdict, true);
  for (const DeviceCases& device : set.devices) {
    std::vector<std::string> line{device.title(), fmt::format("{}", device.cases.size())};
    for (const std::string& verdict : verdicts)
      line.push_back(fmt::format("{}", counts[device.title()][verdict]));
    table.cells.push_back(cells(line));
  }
  return table;
}

SummaryTable fastest_table(const CaseSet& set, const DeviceCases& device) {
  const TimeUnit unit = time_unit(device);
  const bool both = device.cache == name(CacheState::cold);
  SummaryTable table;
  table.title = "Fastest verified kernel: maps and plan not counted";
  Cell winners;
  for (const Cell& cell : cells_of(device))
    if (const Case* fastest = fastest_of(cell)) winners.push_back(fastest);
  for (const char* header : {"workload", "dtype", "direction", "fastest"}) table.add_column(header);
  table.add_column(fmt::format("{} [{}]", device.cache, unit.name), true);
  if (both) table.add_column(fmt::format("hot [{}]", unit.name), true);
  const RateUnit rate = rate_unit(winners);
  table.add_column(rate.name, true);
  table.add_column(fmt::format("over {}", set.baseline()), true);
  table.add_column("redundancy", true);
  table.add_column("next");
  table.add_column("next / fastest", true);
  for (const Cell& cell : cells_of(device)) {
    const Case* fastest = fastest_of(cell);
    if (!fastest) continue;
    const Case* next = next_of(cell, fastest);
    const Record& row = *fastest->main;
    std::vector<std::string> line{set.workloads[fastest->workload], fastest->dtype,
                                  fastest->direction, fastest->algorithm, marked_time(row, unit)};
    if (both)
      line.push_back(scaled(fastest->number(name(CacheState::hot), columns::time_median_us), unit));
    line.push_back(three_digits(number_of(row, columns::throughput_gflops) / rate.gflops));
    line.push_back(fastest->speedup > 0 ? three_digits(fastest->speedup) : "");
    line.push_back(three_digits(number_of(row, columns::redundancy)));
    line.push_back(next ? next->algorithm : "");
    line.push_back(next ? three_digits(time_us(*next) / time_us(*fastest)) : "");
    table.cells.push_back(cells(line));
  }
  return table;
}

std::vector<SummaryTable> time_tables(const CaseSet& set, const DeviceCases& device,
                                      Footnotes& footnotes) {
  std::vector<SummaryTable> tables;
  const std::vector<Cell> all = cells_of(device);
  for (const std::string& direction : set.directions) {
    std::vector<Cell> rows;
    for (const std::string& dtype : set.dtypes)
      for (const Cell& cell : all)
        if (cell.front()->direction == direction && cell.front()->dtype == dtype)
          rows.push_back(cell);
    if (!rows.empty()) tables.push_back(time_table(set, device, rows, footnotes));
  }
  return tables;
}

std::vector<std::string> mark_notes(const CaseSet& set, const Footnotes& footnotes) {
  const auto any = [&](const auto& applies) {
    return std::ranges::any_of(set.devices, [&](const DeviceCases& device) {
      return std::ranges::any_of(device.cases, applies);
    });
  };
  std::vector<std::string> notes;
  if (any(&Case::fastest))
    notes.emplace_back("* fastest verified of its workload, dtype, direction");
  for (const Mark& mark : kMarks)
    if (any([&](const Case& one) { return mark.applies(*one.main); }))
      notes.push_back(fmt::format("{} {}", mark.sign + 1, mark.meaning));
  for (size_t i = 0; i < footnotes.remarks().size(); ++i)
    notes.push_back(fmt::format("[{}] {}", i + 1, footnotes.remarks()[i]));
  return notes;
}

}  // namespace spb::report
