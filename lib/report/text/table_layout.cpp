// SPDX-License-Identifier: Apache-2.0
#include "report/text/table_layout.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "report/records/fields.h"
#include "report/summary/rank.h"

namespace spb::report {
namespace {

constexpr const char* kFastest = "*";
constexpr const char* kNoisy = "~";
constexpr double kNoisyAbove = 0.05;

struct Scale {
  double factor;
  const char* unit;
};
constexpr Scale kTimes[] = {{1e6, "s"}, {1e3, "ms"}, {1, "µs"}};
constexpr Scale kBytes[] = {{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}};

/// The largest unit in which `value` is at least 1, else the smallest unit.
const Scale& pick(std::span<const Scale> scales, double value) {
  for (const Scale& scale : scales)
    if (value >= scale.factor) return scale;
  return scales.back();
}

struct TableColumn {
  const char* header;
  ColumnName field;
  std::span<const Scale> scales;  ///< empty: the value as it is
};

constexpr TableColumn kColumns[] = {
    {"dataset", columns::dataset, {}},
    {"voxel size [m]", columns::voxel_size_m, {}},
    {"resolution", columns::resolution, {}},
    {"row order", columns::row_order, {}},
    {"n_in", columns::n_in, {}},
    {"n_out", columns::n_out, {}},
    {"n_pairs", columns::n_pairs, {}},
    {"conv", columns::conv_kind, {}},
    {"kernel size", columns::kernel_size, {}},
    {"stride", columns::stride, {}},
    {"dilation", columns::dilation, {}},
    {"bias", columns::bias, {}},
    {"batch size", columns::batch_size, {}},
    {"c_in", columns::c_in, {}},
    {"c_out", columns::c_out, {}},
    {"dtype", columns::dtype, {}},
    {"direction", columns::direction, {}},
    {"phase", columns::phase, {}},
    {"cache", columns::cache, {}},
    {"algorithm", columns::algorithm, {}},
    {"verified", columns::verify_status, {}},
    {"error/bound", columns::err_max_tol_ratio, {}},
    {"time", columns::time_median_us, kTimes},
    {"GFLOP/s", columns::throughput_gflops, {}},
    {"redundancy", columns::redundancy, {}},
    {"memory", columns::peak_total_bytes, kBytes},
    {"rank", columns::rank, {}},
};

/// The unit of a column: the one that suits its smallest value, so that no cell reads 0.00012.
const Scale* column_scale(const TableColumn& column, std::span<const Record> records) {
  if (column.scales.empty()) return nullptr;
  double smallest = INFINITY;
  for (const Record& record : records)
    smallest = std::fmin(smallest, record.number_of(column.field.name).value_or(NAN));
  return &pick(column.scales, smallest);
}

std::string cell(const TableColumn& column, const Scale* scale, const Record& record) {
  const Value& value = record.value(column.field);
  const auto number = record.number_of(column.field.name);
  if (scale && number) {
    const bool noisy = column.field == columns::time_median_us &&
                       record.number(columns::noise_rel).value_or(0) > kNoisyAbove;
    return three_digits(*number / scale->factor) + (noisy ? kNoisy : "");
  }
  const Field& field = *find_field(column.field.name);
  // Sizes and counts are exact, measured reals are not.
  if (field.type == FieldType::real && !field.key && number) return three_digits(*number);
  if (field.type == FieldType::boolean && !to_text(value).empty())
    return std::get<bool>(value) ? "yes" : "no";
  return to_text(value);
}

/// A row that has no time says why in place of a verdict.
std::string result_text(const Record& record) {
  std::string status = record.text(columns::status);
  std::string verdict = record.text(columns::verify_status);
  if (status.empty() || (status == name(Status::ok) && !verdict.empty())) return verdict;
  return status;
}

TableLayout layout(std::vector<Record> records) {
  fill_rank(records);
  TableLayout table;
  if (records.front().text(columns::backend) == "host")
    table.heading = "host timing: for testing the tool";
  table.cells.resize(records.size());
  const auto add = [&](const std::string& header, bool numeric, std::vector<std::string> cells) {
    table.headers.push_back(header);
    table.numeric.push_back(numeric);
    for (size_t row = 0; row < cells.size(); ++row) table.cells[row].push_back(cells[row]);
  };
  bool fastest = false, noisy = false, reasons = false;
  for (const TableColumn& column : kColumns) {
    const Field& field = *find_field(column.field.name);
    const Scale* scale = column_scale(column, records);
    std::vector<std::string> cells;
    for (const Record& record : records) {
      cells.push_back(cell(column, scale, record));
      if (column.field == columns::verify_status) cells.back() = result_text(record);
      noisy |= cells.back().ends_with(kNoisy);
    }
    if (std::ranges::all_of(cells, &std::string::empty)) continue;
    const std::string unit = scale ? fmt::format(" [{}]", scale->unit) : "";
    const bool constant = std::ranges::all_of(cells, [&](const auto& c) { return c == cells[0]; });
    const bool describes = field.key || std::string_view(column.field.name).starts_with("n_");
    if (constant && describes && records.size() > 1)
      table.constants.emplace_back(column.header + unit, cells[0]);
    else
      add(column.header + unit, field.type == FieldType::integer || field.type == FieldType::real,
          std::move(cells));
  }
  std::vector<std::string> marks, details;
  for (const Record& record : records) {
    const bool first = to_text(record.value(columns::rank)) == "1";
    marks.push_back(first ? kFastest : "");
    details.push_back(record.text(columns::status_detail));
    fastest |= first;
    reasons |= !details.back().empty();
  }
  if (fastest) add("", false, std::move(marks));
  if (reasons) add("reason", false, std::move(details));
  if (fastest) table.notes.push_back(fmt::format("{} fastest verified of its case", kFastest));
  if (noisy) table.notes.push_back(fmt::format("{} IQR above 5 % of the median", kNoisy));
  return table;
}

}  // namespace

std::vector<TableLayout> layout_tables(std::span<const Record> records) {
  std::vector<std::string> backends;
  std::vector<std::vector<Record>> groups;
  for (const Record& record : records) {
    const auto found = std::ranges::find(backends, record.text(columns::backend));
    const auto index = static_cast<size_t>(found - backends.begin());
    if (found == backends.end()) {
      backends.push_back(record.text(columns::backend));
      groups.emplace_back();
    }
    groups[index].push_back(record);
  }
  std::vector<TableLayout> tables;
  for (std::vector<Record>& group : groups) tables.push_back(layout(std::move(group)));
  return tables;
}

std::string three_digits(double value) {
  if (!std::isfinite(value)) return "";
  if (value == 0) return "0";
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
  const double step = std::pow(10.0, exponent - 2);
  const double rounded = exponent > 2 ? std::round(value / step) * step : value;
  std::string text = fmt::format("{:.{}f}", rounded, std::max(0, 2 - exponent));
  // 9.996 rounds to four digits, "10.00": the step of the next decade is meant.
  if (std::abs(std::stod(text)) >= std::pow(10.0, exponent + 1) && exponent < 2) text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string time_text(double time_us) {
  const Scale& scale = pick(kTimes, time_us);
  return three_digits(time_us / scale.factor) + " " + scale.unit;
}

std::string bytes_text(int64_t bytes) {
  const Scale& scale = pick(kBytes, static_cast<double>(bytes));
  return three_digits(static_cast<double>(bytes) / scale.factor) + " " + scale.unit;
}

size_t display_width(const std::string& text) {
  return static_cast<size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace spb::report
