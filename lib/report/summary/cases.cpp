// SPDX-License-Identifier: Apache-2.0
#include "report/summary/cases.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <tuple>
#include <utility>

#include "report/records/fields.h"
#include "report/summary/rank.h"
#include "report/summary/rows.h"

namespace spb::report {
namespace {

/// What makes a workload, in the order of its label: data, then shape.
struct LabelPart {
  ColumnName column;
  const char* format;
  bool always;  ///< shown even when equal in all rows
  bool is_data = false;
};
constexpr LabelPart kLabelParts[] = {
    {columns::dataset, "{}", true, true},
    {columns::voxel_size_m, "@{}", true, true},
    {columns::voxel_edges, "@{}", true, true},
    {columns::resolution, "@{}", true, true},
    {columns::range, " range {}", false, true},
    {columns::frame, " {}", false, true},
    {columns::row_order, " {}", false},
    {columns::conv_kind, " {}", false},
    {columns::kernel_size, " k{}", false},
    {columns::stride, " s{}", false},
    {columns::dilation, " d{}", false},
    {columns::padding, " p{}", false},
    {columns::output_rule, " {}", false},
    {columns::output_extent, " {}", false},
    {columns::c_in, " {}", true},
    {columns::c_out, "→{}", true},
    {columns::groups, " g{}", false},
    {columns::bias, " bias {}", false},
    {columns::epilogue, " {}", false},
    {columns::batch_size, " b{}", false},
    {columns::map_variant, " maps {}", false},
};

class Labels {
 public:
  explicit Labels(std::span<const Record> rows) {
    for (const LabelPart& part : kLabelParts) {
      const Value& first = rows.front().value(part.column);
      const bool varies = std::ranges::any_of(
          rows, [&](const Record& row) { return row.value(part.column) != first; });
      if (varies || part.always) shown_.push_back(&part);
      if (!varies && !part.always && !to_text(first).empty())
        constants.emplace_back(part.column.name, to_text(first));
    }
  }
  std::string operator()(const Record& row) const { return text(row, true) + shape(row); }
  std::string shape(const Record& row) const { return text(row, false); }
  std::vector<std::pair<std::string, std::string>> constants;

 private:
  std::string text(const Record& row, bool of_data) const {
    std::string label;
    for (const LabelPart* part : shown_)
      if (const std::string value = to_text(row.value(part->column));
          part->is_data == of_data && !value.empty())
        label += fmt::format(fmt::runtime(part->format), value);
    return label;
  }

  std::vector<const LabelPart*> shown_;
};

/// The index of `text`, which is added when new.
size_t index_of(std::vector<std::string>& list, const std::string& text) {
  const auto found = std::ranges::find(list, text);
  if (found != list.end()) return static_cast<size_t>(found - list.begin());
  list.push_back(text);
  return list.size() - 1;
}

/// `column` is a name of the enumerations of sort_rows().
void sort_texts(std::vector<std::string>& list, ColumnName column) {
  std::ranges::sort(list, [&](const std::string& left, const std::string& right) {
    return compare_column(column, left, right) < 0;
  });
}

/// A case that has no time yet has no arithmetic_class either.
std::string dtype_of(const Record& row) {
  const std::string arithmetic = row.text(columns::arithmetic_class);
  return arithmetic.empty() ? row.text(columns::dtype) : arithmetic;
}

/// Cells together: fields() has the direction before the dtype, people read it behind.
bool case_less(const Case& left, const Case& right) {
  if (left.workload != right.workload) return left.workload < right.workload;
  if (const int order = compare_column(columns::dtype, left.dtype, right.dtype)) return order < 0;
  if (const int order = compare_column(columns::direction, left.direction, right.direction))
    return order < 0;
  return compare_column(columns::algorithm, left.algorithm, right.algorithm) < 0;
}

std::string phase_of(const Record& row) {
  return row.get(columns::phase) == Phase::kernel ? row.text(columns::cache)
                                                  : row.text(columns::phase);
}

DeviceCases& device_of(CaseSet& set, const Record& row) {
  for (DeviceCases& device : set.devices)
    if (device.name == row.text(columns::gpu_name) && device.backend == row.text(columns::backend))
      return device;
  DeviceCases& device = set.devices.emplace_back();
  device.name = row.text(columns::gpu_name);
  device.backend = row.text(columns::backend);
  return device;
}

/// Where each case stands, so that adding a row needs no search.
using CaseIndex = std::map<std::string, size_t>;

Case& case_of(CaseSet& set, CaseIndex& index, const std::string& label, const Record& row) {
  DeviceCases& device = device_of(set, row);
  Case one;
  one.workload = index_of(set.workloads, label);
  one.dtype = dtype_of(row);
  one.direction = row.text(columns::direction);
  one.algorithm = row.text(columns::algorithm);
  const std::string key = fmt::format("{}\n{}\n{}\n{}\n{}\n{}", device.backend, device.name,
                                      one.workload, one.dtype, one.direction, one.algorithm);
  const auto [place, is_new] = index.try_emplace(key, device.cases.size());
  if (is_new) device.cases.push_back(one);
  return device.cases[place->second];
}

void choose_main(DeviceCases& device) {
  const bool cold = std::ranges::any_of(
      device.cases, [](const Case& one) { return one.rows.contains(name(CacheState::cold)); });
  device.cache = name(cold ? CacheState::cold : CacheState::hot);
  for (Case& one : device.cases) {
    const auto found = one.rows.find(device.cache);
    one.main = (found == one.rows.end() ? one.rows.begin() : found)->second;
    one.ranked = found != one.rows.end() && is_ranked(*one.main);
  }
}

void mark_cells(DeviceCases& device, const std::string& baseline_name) {
  for (const Cell& cell : cells_of(device)) {
    const Case* fastest = fastest_of(cell);
    const auto baseline = std::ranges::find_if(
        cell, [&](const Case* one) { return one->ranked && one->algorithm == baseline_name; });
    for (const Case* competitor : cell) {
      Case& one = device.cases[static_cast<size_t>(competitor - device.cases.data())];
      one.fastest = one.ranked && fastest && time_us(one) == time_us(*fastest);
      if (one.ranked && baseline != cell.end()) one.speedup = time_us(**baseline) / time_us(one);
    }
  }
}

}  // namespace

const Record* Case::row(const std::string& phase) const {
  const auto found = rows.find(phase);
  return found == rows.end() ? nullptr : found->second;
}

CaseSet collect_cases(std::span<const Record> rows, std::vector<std::string> known) {
  CaseSet set;
  set.known = std::move(known);
  if (rows.empty()) return set;
  const Labels labels(rows);
  set.constants = labels.constants;
  CaseIndex index;
  for (const Record& row : rows) {
    Case& one = case_of(set, index, labels(row), row);
    if (one.workload == set.shapes.size()) set.shapes.push_back(labels.shape(row));
    index_of(set.algorithms, one.algorithm);
    index_of(set.directions, one.direction);
    index_of(set.dtypes, one.dtype);
    const std::string run = row.text(columns::run_id);
    const std::string newest =
        one.rows.empty() ? run : one.rows.begin()->second->text(columns::run_id);
    if (run < newest) continue;
    if (run > newest) {
      one.rows.clear();
      ++set.superseded;
    }
    one.rows[phase_of(row)] = &row;
  }
  sort_texts(set.algorithms, columns::algorithm);
  sort_texts(set.directions, columns::direction);
  sort_texts(set.dtypes, columns::dtype);
  std::ranges::stable_sort(set.devices, [](const DeviceCases& left, const DeviceCases& right) {
    return std::tuple(left.is_host(), left.name) < std::tuple(right.is_host(), right.name);
  });
  for (DeviceCases& device : set.devices) {
    std::ranges::stable_sort(device.cases, case_less);
    choose_main(device);
    mark_cells(device, set.baseline());
  }
  return set;
}

std::vector<const DeviceCases*> gpus_of(const CaseSet& set) {
  std::vector<const DeviceCases*> gpus;
  for (const DeviceCases& device : set.devices)
    if (!device.is_host()) gpus.push_back(&device);
  return gpus;
}

std::vector<Cell> cells_of(const DeviceCases& device) {
  std::vector<Cell> cells;
  for (const Case& one : device.cases) {
    const Case* last = cells.empty() ? nullptr : cells.back().front();
    if (!last || last->workload != one.workload || last->dtype != one.dtype ||
        last->direction != one.direction)
      cells.emplace_back();
    cells.back().push_back(&one);
  }
  return cells;
}

const Case* fastest_of(const Cell& cell) {
  const Case* fastest = nullptr;
  for (const Case* one : cell)
    if (one->ranked && (!fastest || time_us(*one) < time_us(*fastest))) fastest = one;
  return fastest;
}

double time_us(const Case& one) { return number_of(*one.main, columns::time_median_us); }

}  // namespace spb::report
