// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "report/plots/kinds.h"
#include "report/summary/rows.h"
#include "report/summary/tables.h"

namespace spb::report {
namespace {

constexpr Metric kMetrics[] = {
    {"time", "Time", "{0} kernel time [{1}], logarithmic", "left is faster", AxisScale::log10,
     [](const Case& one, const TimeUnit& unit) { return time_us(one) / unit.factor_us; }, 0, true},
    {"speedup", "Speedup over {2}", "speedup over {2} ({0} kernel), logarithmic",
     "right of 1 is faster than {2}", AxisScale::log2,
     [](const Case& one, const TimeUnit&) { return one.speedup; }, 1, true},
    {"memory", "Memory", "peak memory [MB], operands included, logarithmic", "left needs less",
     AxisScale::log10,
     [](const Case& one, const TimeUnit&) {
       return number_of(*one.main, columns::peak_total_bytes) / 1e6;
     },
     0, false},
    {"redundancy", "Redundancy", "executed / useful work", "1 is no work in vain",
     AxisScale::linear,
     [](const Case& one, const TimeUnit&) { return number_of(*one.main, columns::redundancy); }, 1,
     false},
};

/// Cells of the direction in which the metric has a value.
PlotRows rows_of(const PlotScope& scope, const Metric& metric, const TimeUnit& unit) {
  std::vector<Cell> cells;
  for (const Cell& cell : cells_of(*scope.device))
    if (cell.front()->direction == scope.direction &&
        std::ranges::any_of(
            cell, [&](const Case* one) { return one->ranked && metric.value(*one, unit) > 0; }))
      cells.push_back(cell);
  return plot_rows(*scope.set, std::move(cells));
}

std::string draw_points(const PlotScope& scope, const Metric& metric, const PlotRows& rows,
                        std::span<const LegendEntry> legend, std::vector<double>& values) {
  const TimeUnit unit = time_unit(*scope.device);
  std::string points;
  for (size_t row = 0; row < rows.cells.size(); ++row)
    for (const Case* one : rows.cells[row]) {
      const double value = one->ranked ? metric.value(*one, unit) : NAN;
      if (!(value > 0)) continue;
      const auto place = std::ranges::find(legend, one->algorithm, &LegendEntry::text);
      const double y =
          rows.y(row) + dodge(static_cast<size_t>(place - legend.begin()), legend.size());
      const bool noisy = metric.timed && number_of(*one->main, columns::noise_rel) > kNoisyAbove;
      points +=
          fmt::format("{:.6g} {:.3f} {} 0x{}\n", value, y,
                      noisy ? place->style.hollow : place->style.filled, place->style.color + 1);
      values.push_back(value);
    }
  return points;
}

}  // namespace

std::span<const Metric> metrics() { return kMetrics; }

std::optional<Plot> dot_plot(const PlotScope& scope, const Metric& metric) {
  const TimeUnit unit = time_unit(*scope.device);
  const PlotRows rows = rows_of(scope, metric, unit);
  if (rows.cells.empty()) return std::nullopt;
  const std::vector<LegendEntry> legend = legend_of(*scope.set, rows.cells);
  std::vector<double> values;
  const std::string points = draw_points(scope, metric, rows, legend, values);
  const Frame frame =
      frame_for(rows, legend.size(), std::max(20, 6 + 5 * static_cast<int>(legend.size())));
  const auto text = [&](const char* format) {
    return fmt::format(fmt::runtime(format), scope.device->cache, unit.name, scope.set->baseline());
  };
  Plot plot;
  plot.name = fmt::format("{}_{}{}", metric.name, scope.direction, scope.suffix);
  plot.kind = text(metric.kind);
  plot.device = scope.device;
  plot.title = fmt::format("{}: {} on {}", scope.direction, metric.name, scope.device->name);
  plot.description =
      rows.before(text(metric.description)) + (metric.timed ? "; hollow points are noisy." : ".");
  plot.width = frame.width;
  plot.height = frame.height;
  plot.script = "$points << EOD\n" + points + "EOD\n" +
                frame_commands(frame, plot.title, text(metric.axis), legend) + rows.commands();
  if (metric.reference > 0) {
    values.push_back(metric.reference);
    plot.script +=
        fmt::format("set arrow from {0},graph 0 to {0},graph 1 nohead lc rgb 'black' lw 1.2\n",
                    metric.reference);
  }
  plot.script +=
      axis_commands('x', values, metric.scale) +
      "plot $points using 1:2:3:4 with points pt variable lc rgb variable lw 1.5 ps 0.9\n";
  return plot;
}

}  // namespace spb::report
