// SPDX-License-Identifier: Apache-2.0
#include "report/summary/dense_table.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "report/summary/rows.h"
#include "report/text/table_layout.h"

namespace spb::report {
namespace {

/// Points of one layer on data that differ in their occupancy alone.
struct Group {
  std::string data, shape, dtype, direction;
  int64_t cells = 0;
  std::vector<DensePoint> points = {};

  bool is_of(const Group& other) const {
    return data == other.data && shape == other.shape && dtype == other.dtype &&
           direction == other.direction && cells == other.cells;
  }
};

/// Dense times are hot, too.
double kernel_us(const Case& one) {
  const double hot = one.number(name(CacheState::hot), columns::time_median_us);
  return std::isnan(hot) ? time_us(one) : hot;
}

std::optional<DensePoint> point_of(const Cell& cell) {
  DensePoint point{NAN, NAN, NAN};
  for (const Case* one : cell) {
    if (!one->ranked) continue;
    point.occupancy = number_of(*one->main, columns::occupancy);
    point.sparse_us = std::fmin(point.sparse_us, kernel_us(*one));
    point.dense_us = std::fmin(point.dense_us, number_of(*one->main, columns::dense_conv_us));
  }
  const bool is_whole = point.occupancy > 0 && point.sparse_us > 0 && point.dense_us > 0;
  return is_whole ? std::optional(point) : std::nullopt;
}

double ratio(const DensePoint& point) { return point.dense_us / point.sparse_us; }

/// Without the blank that parts it from the data.
std::string layer_text(const CaseSet& set, const Case& one) {
  const std::string& shape = set.shapes[one.workload];
  return shape.substr(std::min(shape.find_first_not_of(' '), shape.size()));
}

/// A generator's numbers but for the last, "random:128" of "random:128,0.5": what is left says with
/// the number of cells which box it is, so that no other data gets onto the same curve.
std::string data_text(const Case& one) {
  const std::string dataset = one.main->text(columns::dataset);
  return dataset.substr(0, dataset.rfind(','));
}

/// "0.01 ... 1" of the first and the last.
template <typename Value>
std::string range_text(const std::vector<DensePoint>& points, Value value) {
  const std::string first = three_digits(value(points.front()));
  return points.size() == 1 ? first : first + " … " + three_digits(value(points.back()));
}

std::vector<Group> groups_of(const CaseSet& set, const DeviceCases& device) {
  std::vector<Group> groups;
  for (const Cell& cell : cells_of(device)) {
    const auto point = point_of(cell);
    if (!point) continue;
    const Case& first = *cell.front();
    const double voxels = number_of(*first.main, columns::n_in);
    const Group group{data_text(first), layer_text(set, first), first.dtype, first.direction,
                      std::llround(voxels / point->occupancy)};
    auto found =
        std::ranges::find_if(groups, [&](const Group& other) { return other.is_of(group); });
    if (found == groups.end()) found = groups.insert(found, group);
    found->points.push_back(*point);
  }
  for (Group& group : groups) std::ranges::stable_sort(group.points, {}, &DensePoint::occupancy);
  return groups;
}

}  // namespace

std::string same_cost(const std::vector<DensePoint>& points) {
  if (points.empty()) return {};
  const auto cheaper = [](const DensePoint& point) { return point.dense_us < point.sparse_us; };
  size_t first = points.size();  // from which on dense costs less
  while (first > 0 && cheaper(points[first - 1])) --first;
  if (first == points.size()) return "none up to " + three_digits(points.back().occupancy);
  if (first == 0) return "below " + three_digits(points.front().occupancy);
  const DensePoint &below = points[first - 1], &above = points[first];
  const double from = std::log(ratio(below)), to = std::log(ratio(above));
  const double step = std::log(above.occupancy / below.occupancy);
  return three_digits(below.occupancy * std::exp(step * from / (from - to)));
}

SummaryTable dense_table(const CaseSet& set, const DeviceCases& device) {
  SummaryTable table;
  table.title = "The fastest verified kernel against the dense convolution of the whole box";
  for (const char* header : {"data", "layer", "dtype", "direction"}) table.add_column(header);
  for (const char* header : {"cells", "occupancy", "dense / sparse", "same cost at"})
    table.add_column(header, true);
  for (const Group& group : groups_of(set, device)) {
    std::vector<SummaryCell>& line = table.cells.emplace_back();
    for (const std::string& text :
         {group.data, group.shape, group.dtype, group.direction, fmt::format("{}", group.cells),
          range_text(group.points, [](const DensePoint& point) { return point.occupancy; }),
          range_text(group.points, ratio), same_cost(group.points)})
      line.push_back({text});
  }
  return table;
}

}  // namespace spb::report
