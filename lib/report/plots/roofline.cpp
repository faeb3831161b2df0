// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "report/plots/kinds.h"
#include "report/summary/rows.h"

namespace spb::report {
namespace {

struct Ceilings {
  double gflops = 0, gbps = 0;
  bool known() const { return gflops > 0 && gbps > 0; }
};

/// The highest that any row of the dtype carries: runs may have probed anew.
Ceilings ceilings_of(const std::vector<const Case*>& cases) {
  Ceilings found;
  for (const Case* one : cases) {
    found.gflops = std::fmax(found.gflops, number_of(*one->main, columns::peak_gflops));
    found.gbps = std::fmax(found.gbps, number_of(*one->main, columns::peak_bw_gbps));
  }
  return found;
}

}  // namespace

std::optional<Plot> roofline_plot(const PlotScope& scope, const std::string& dtype) {
  const CaseSet& set = *scope.set;
  std::vector<const Case*> cases;
  for (const Case& one : scope.device->cases)
    if (one.ranked && one.dtype == dtype && number_of(*one.main, columns::throughput_gflops) > 0 &&
        number_of(*one.main, columns::bandwidth_gbps) > 0)
      cases.push_back(&one);
  if (cases.empty()) return std::nullopt;
  const std::vector<LegendEntry> legend = legend_of(set, {cases});
  const RateUnit unit = rate_unit(cases);
  std::vector<double> intensities, rates;
  std::string points;
  for (const Case* one : cases) {
    const double rate = number_of(*one->main, columns::throughput_gflops) / unit.gflops;
    const double intensity = number_of(*one->main, columns::throughput_gflops) /
                             number_of(*one->main, columns::bandwidth_gbps);
    const PlotStyle style = style_of(set, one->algorithm);
    points +=
        fmt::format("{:.6g} {:.6g} {} 0x{}\n", intensity, rate, style.filled, style.color + 1);
    intensities.push_back(intensity);
    rates.push_back(rate);
  }
  const Ceilings ceilings = ceilings_of(cases);
  std::string roof, draw_roof;
  if (ceilings.known()) {
    const double ridge = ceilings.gflops / ceilings.gbps;
    intensities.push_back(ridge);
    const auto [least, most] = std::ranges::minmax(intensities);
    const double left = least / 4, right = most * 4;
    roof = fmt::format("$roof << EOD\n{:.6g} {:.6g}\n{:.6g} {:.6g}\n{:.6g} {:.6g}\nEOD\n", left,
                       left * ceilings.gbps / unit.gflops, ridge, ceilings.gflops / unit.gflops,
                       right, ceilings.gflops / unit.gflops);
    rates.push_back(ceilings.gflops / unit.gflops);
    draw_roof = "$roof using 1:2 with lines lc rgb 'black' lw 1.4, ";
  }
  const int rows = legend_height(legend.size());
  const Frame frame{460, 34 + 52 + rows + 240, 84, 52 + rows};
  Plot plot;
  plot.name = fmt::format("roofline_{}{}", dtype, scope.suffix);
  plot.kind = "Roofline";
  plot.device = scope.device;
  plot.title = fmt::format("{}: roofline on {}", dtype, scope.device->name);
  plot.description =
      ceilings.known()
          ? fmt::format(
                "all directions, {} kernel; the line is what the device was measured to "
                "reach: {:.4g} GFLOP/s, {:.4g} GB/s.",
                scope.device->cache, ceilings.gflops, ceilings.gbps)
          : fmt::format(
                "all directions, {} kernel; the records hold no measured ceilings, so "
                "none are drawn.",
                scope.device->cache);
  plot.width = frame.width;
  plot.height = frame.height;
  plot.script =
      roof + "$points << EOD\n" + points + "EOD\n" +
      frame_commands(frame, plot.title, "useful FLOP / compulsory byte, logarithmic", legend) +
      fmt::format("set ylabel 'useful {}, logarithmic'\n", unit.name) +
      axis_commands('x', intensities, AxisScale::log10) +
      axis_commands('y', rates, AxisScale::log10) + "plot " + draw_roof +
      "$points using 1:2:3:4 with points pt variable lc rgb variable lw 1.5 ps 0.9" + "\n";
  return plot;
}

}  // namespace spb::report
