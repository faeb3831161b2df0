// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "report/plots/kinds.h"
#include "report/summary/dense_table.h"

namespace spb::report {
namespace {

/// What tells curves apart: layers, and their data and dtype where those differ.
std::string curve_text(const DenseCurve& curve, const std::vector<DenseCurve>& curves) {
  const auto differs = [&](auto member) {
    return std::ranges::any_of(
        curves, [&](const DenseCurve& other) { return other.*member != curve.*member; });
  };
  std::string text = curve.layer;
  if (differs(&DenseCurve::dtype)) text += " " + curve.dtype;
  if (differs(&DenseCurve::data) || differs(&DenseCurve::cells))
    text += fmt::format(", {} of {} cells", curve.data, curve.cells);
  return text;
}

}  // namespace

std::optional<Plot> occupancy_plot(const PlotScope& scope) {
  std::vector<DenseCurve> curves = dense_curves(*scope.set, *scope.device);
  std::erase_if(curves, [&](const DenseCurve& curve) {
    return curve.direction != scope.direction || curve.points.size() < 2;
  });
  if (curves.empty()) return std::nullopt;
  std::vector<LegendEntry> legend;
  std::vector<double> occupancies, ratios{1};
  std::string data, draw, same;
  for (size_t i = 0; i < curves.size(); ++i) {
    legend.push_back({curve_text(curves[i], curves), line_style(i)});
    data += fmt::format("$curve{} << EOD\n", i);
    for (const DensePoint& point : curves[i].points) {
      data += fmt::format("{:.6g} {:.6g}\n", point.occupancy, point.ratio());
      occupancies.push_back(point.occupancy);
      ratios.push_back(point.ratio());
    }
    data += "EOD\n";
    draw += fmt::format(", $curve{} using 1:2 with linespoints pt {} lc rgb '{}' lw 1.4 ps 0.9", i,
                        legend[i].style.filled, legend[i].style.color);
    same += fmt::format("{}{}: {}", i ? "; " : "", legend[i].text, same_cost(curves[i].points));
  }
  const int rows = legend_height(legend.size());
  const Frame frame{460, 34 + 52 + rows + 240, 84, 52 + rows};
  Plot plot;
  plot.name = fmt::format("occupancy_{}{}", scope.direction, scope.suffix);
  plot.kind = "Dense convolutions";
  plot.device = scope.device;
  plot.title = fmt::format("{}: dense over sparse on {}", scope.direction, scope.device->name);
  plot.description = fmt::format(
      "time of the dense convolution of the whole box over that of the fastest verified kernel, "
      "maps and plan not counted. Above the line at 1 sparse is faster. Both cost the same at an "
      "occupancy of {}.",
      same);
  plot.width = frame.width;
  plot.height = frame.height;
  plot.script =
      data +
      frame_commands(frame, plot.title, "occupied cells, share of the box, logarithmic", legend) +
      "set ylabel 'dense / sparse time, logarithmic'\n" +
      axis_commands('x', occupancies, AxisScale::log10) +
      axis_commands('y', ratios, AxisScale::log10) + "plot 1 with lines lc rgb 'black' lw 1" +
      draw + "\n";
  return plot;
}

}  // namespace spb::report
