// SPDX-License-Identifier: Apache-2.0
#include "report/summary/dense_table.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <tuple>
#include <utility>

#include "report/summary/rows.h"
#include "report/text/table_layout.h"

namespace spb::report {
namespace {

bool same_layer(const DenseCurve& a, const DenseCurve& b) {
  return std::tie(a.data, a.layer, a.dtype, a.direction, a.cells) ==
         std::tie(b.data, b.layer, b.dtype, b.direction, b.cells);
}

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

}  // namespace

std::string same_cost(const std::vector<DensePoint>& points) {
  if (points.empty()) return {};
  const auto cheaper = [](const DensePoint& point) { return point.dense_us < point.sparse_us; };
  size_t first = points.size();  // from which on dense costs less
  while (first > 0 && cheaper(points[first - 1])) --first;
  if (first == points.size()) return "none up to " + three_digits(points.back().occupancy);
  if (first == 0) return "below " + three_digits(points.front().occupancy);
  const DensePoint &below = points[first - 1], &above = points[first];
  const double from = std::log(below.ratio()), to = std::log(above.ratio());
  const double step = std::log(above.occupancy / below.occupancy);
  return three_digits(below.occupancy * std::exp(step * from / (from - to)));
}

std::vector<DenseCurve> dense_curves(const CaseSet& set, const DeviceCases& device) {
  std::vector<DenseCurve> curves;
  for (const Cell& cell : cells_of(device)) {
    const auto point = point_of(cell);
    if (!point) continue;
    const Case& first = *cell.front();
    const double voxels = number_of(*first.main, columns::n_in);
    const DenseCurve curve{data_text(first), layer_text(set, first), first.dtype, first.direction,
                           std::llround(voxels / point->occupancy)};
    auto found = std::ranges::find_if(
        curves, [&](const DenseCurve& other) { return same_layer(other, curve); });
    if (found == curves.end()) found = curves.insert(found, curve);
    found->points.push_back(*point);
  }
  for (DenseCurve& curve : curves)
    std::ranges::stable_sort(curve.points, {}, &DensePoint::occupancy);
  return curves;
}

SummaryTable dense_table(const CaseSet& set, const DeviceCases& device) {
  SummaryTable table;
  table.title = "The fastest verified kernel against the dense convolution of the whole box";
  for (const char* header : {"data", "layer", "dtype", "direction"}) table.add_column(header);
  for (const char* header : {"cells", "occupancy", "dense / sparse", "same cost at"})
    table.add_column(header, true);
  for (const DenseCurve& curve : dense_curves(set, device)) {
    std::vector<SummaryCell>& line = table.cells.emplace_back();
    for (const std::string& text :
         {curve.data, curve.layer, curve.dtype, curve.direction, fmt::format("{}", curve.cells),
          range_text(curve.points, [](const DensePoint& point) { return point.occupancy; }),
          range_text(curve.points, [](const DensePoint& point) { return point.ratio(); }),
          same_cost(curve.points)})
      line.push_back({text});
  }
  return table;
}

}  // namespace spb::report
