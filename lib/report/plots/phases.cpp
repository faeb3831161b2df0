// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

#include "report/plots/kinds.h"

namespace spb::report {
namespace {

/// The color mixed with white: gnuplot's transparency would show the grid through bars.
std::string tinted(const char* color, double strength) {
  const long rgb = std::strtol(color + 1, nullptr, 16);
  long mixed = 0;
  for (const int shift : {16, 8, 0}) {
    const double part = static_cast<double>((rgb >> shift) & 0xFF);
    mixed |= std::lround(255 - strength * (255 - part)) << shift;
  }
  return fmt::format("0x{:06x}", mixed);
}

constexpr double kTints[] = {0.25, 0.55, 1};  // map_build, rest of plan, kernel

}  // namespace

std::optional<Plot> phases_plot(const PlotScope& scope) {
  const CaseSet& set = *scope.set;
  const PlotRows rows = plot_rows(scope);
  const std::vector<LegendEntry> legend = legend_of(set, rows.cells);
  if (legend.empty()) return std::nullopt;
  const double height = 0.8 / static_cast<double>(legend.size());
  std::string boxes;
  for (size_t row = 0; row < rows.cells.size(); ++row)
    for (const Case* one : rows.cells[row]) {
      const double plan = one->number(name(Phase::plan), columns::time_median_us);
      if (!one->ranked || std::isnan(plan)) continue;
      const double kernel = time_us(*one), whole = plan + kernel;
      // map_build makes the maps of a step; a plan of one direction may need less.
      const double maps =
          std::fmin(plan, one->number(name(Phase::map_build), columns::time_median_us));
      const bool has_maps =
          !std::isnan(one->number(name(Phase::map_build), columns::time_median_us));
      const auto place = static_cast<size_t>(
          std::ranges::find(legend, one->algorithm, &LegendEntry::text) - legend.begin());
      const double y = rows.y(row) + 0.4 - height * static_cast<double>(place);
      const double ends[] = {0, has_maps ? 100 * maps / whole : 0, 100 * plan / whole, 100};
      for (int part = 0; part < 3; ++part)
        if (ends[part + 1] > ends[part])
          boxes +=
              fmt::format("{:.4g} {:.4g} {:.4f} {:.4f} {}\n", ends[part], ends[part + 1],
                          y - height * 0.9, y, tinted(legend[place].style.color, kTints[part]));
    }
  if (boxes.empty()) return std::nullopt;
  const Frame frame =
      frame_for(rows, legend.size(), std::max(20, 8 + 6 * static_cast<int>(legend.size())));
  Plot plot;
  plot.name = fmt::format("phases_{}{}", scope.direction, scope.suffix);
  plot.kind = "Phases";
  plot.device = scope.device;
  plot.title = fmt::format("{}: phases on {}", scope.direction, scope.device->name);
  plot.description = fmt::format(
      "shares of plan + {} kernel, from the left: map_build (lightest), the rest of the plan, "
      "the "
      "kernel (full color). A plan is reused by every run on the same voxels.",
      scope.device->cache);
  plot.description = rows.before(plot.description);
  plot.width = frame.width;
  plot.height = frame.height;
  plot.script = "$boxes << EOD\n" + boxes + "EOD\n" +
                frame_commands(frame, plot.title, "map_build | plan | kernel, share [%]", legend) +
                "set xrange [0:100]\nset xtics 0,20,100\n" + rows.commands() +
                "plot $boxes using (0):3:1:2:3:4:5 with boxxyerror fs solid noborder "
                "lc rgb variable" +
                "\n";
  return plot;
}

}  // namespace spb::report
