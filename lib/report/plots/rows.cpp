// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "report/plots/kinds.h"

namespace spb::report {
namespace {

constexpr int kWidth = 460, kTitle = 34, kAxis = 52;

}  // namespace

int PlotRows::label_width() const {
  int widest = 0;
  for (const std::string& label : labels) widest = std::max(widest, text_width(label));
  return widest;
}

std::string PlotRows::before(const std::string& text) const {
  return common.empty() ? text : common + "; " + text;
}

std::string PlotRows::commands() const {
  std::string text = fmt::format("set yrange [-0.5:{}.5]\nset ytics (", cells.size() - 1);
  for (size_t row = 0; row < labels.size(); ++row)
    text += fmt::format("{}{} {}", row ? ", " : "", gnuplot_text(labels[row]), y(row));
  return text + ")\n";
}

PlotRows plot_rows(const CaseSet& set, std::vector<Cell> cells) {
  PlotRows rows;
  rows.cells = std::move(cells);
  if (rows.cells.empty()) return rows;
  const Case& first = *rows.cells.front().front();
  const auto differs = [&](auto member) {
    return std::ranges::any_of(
        rows.cells, [&](const Cell& cell) { return cell.front()->*member != first.*member; });
  };
  const bool workloads = differs(&Case::workload), dtypes = differs(&Case::dtype);
  if (!workloads) rows.common = set.workloads[first.workload];
  if (!dtypes) rows.common += (rows.common.empty() ? "" : ", ") + first.dtype;
  for (const Cell& cell : rows.cells) {
    std::string label = workloads ? set.workloads[cell.front()->workload] : "";
    if (dtypes || !workloads) label += (label.empty() ? "" : " ") + cell.front()->dtype;
    rows.labels.push_back(label);
  }
  return rows;
}

PlotRows plot_rows(const PlotScope& scope) {
  std::vector<Cell> cells;
  for (Cell& cell : cells_of(*scope.device))
    if (cell.front()->direction == scope.direction && fastest_of(cell)) cells.push_back(cell);
  return plot_rows(*scope.set, std::move(cells));
}

std::vector<LegendEntry> legend_of(const CaseSet& set, const std::vector<Cell>& cells) {
  std::vector<LegendEntry> entries;
  for (const std::string& algorithm : set.algorithms) {
    const bool used = std::ranges::any_of(cells, [&](const Cell& cell) {
      return std::ranges::any_of(
          cell, [&](const Case* one) { return one->ranked && one->algorithm == algorithm; });
    });
    if (used) entries.push_back({algorithm, style_of(set, algorithm)});
  }
  return entries;
}

double dodge(size_t index, size_t count) {
  constexpr double kShare = 0.66;  // of a row; the rest keeps rows apart
  if (count < 2) return 0;
  return kShare * (0.5 - static_cast<double>(index) / static_cast<double>(count - 1));
}

Frame frame_for(const PlotRows& rows, size_t legend_size, int row_pixels) {
  Frame frame{};
  frame.width = kWidth;
  frame.left = rows.label_width() + 16;
  frame.bottom = kAxis + legend_height(legend_size);
  frame.height =
      kTitle + frame.bottom + std::max(2, static_cast<int>(rows.cells.size())) * row_pixels;
  return frame;
}

}  // namespace spb::report
