// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "report/plots/kinds.h"
#include "report/summary/tables.h"

namespace spb::report {

std::optional<Plot> devices_plot(const CaseSet& set, const std::string& direction) {
  const std::vector<const DeviceCases*> gpus = gpus_of(set);
  if (gpus.size() < 2) return std::nullopt;

  // Rows are those of the first GPU; a time that only another one has could not be compared.
  std::vector<Cell> cells;
  for (Cell& cell : cells_of(*gpus.front()))
    if (cell.front()->direction == direction && fastest_of(cell)) cells.push_back(cell);
  const PlotRows rows = plot_rows(set, std::move(cells));
  const TimeUnit unit = time_unit(*gpus.front());
  std::vector<LegendEntry> legend;
  std::vector<double> values;
  std::string points;
  for (size_t index = 0; index < gpus.size(); ++index) {
    legend.push_back({gpus[index]->title(), device_style(index)});
    for (const Cell& cell : cells_of(*gpus[index])) {
      const Case* fastest = fastest_of(cell);
      const auto row = std::ranges::find_if(rows.cells, [&](const Cell& other) {
        return other.front()->workload == cell.front()->workload &&
               other.front()->dtype == cell.front()->dtype &&
               other.front()->direction == cell.front()->direction;
      });
      if (!fastest || row == rows.cells.end()) continue;
      values.push_back(time_us(*fastest) / unit.factor_us);
      points += fmt::format("{:.6g} {:.3f} {} 0x{}\n", values.back(),
                            rows.y(static_cast<size_t>(row - rows.cells.begin())),
                            device_style(index).filled, device_style(index).color + 1);
    }
  }
  if (values.empty()) return std::nullopt;
  const Frame frame = frame_for(rows, legend.size(), 22);
  Plot plot;
  plot.name = "devices_" + direction;
  plot.kind = "Devices";
  plot.title = direction + ": fastest verified algorithm per device";
  plot.description = rows.before("left is faster.");
  plot.width = frame.width;
  plot.height = frame.height;
  plot.script =
      "$points << EOD\n" + points + "EOD\n" +
      frame_commands(
          frame, plot.title,
          fmt::format("{} kernel time [{}], logarithmic", gpus.front()->cache, unit.name), legend) +
      axis_commands('x', values, AxisScale::log10) + rows.commands() +
      "plot $points using 1:2:3:4 with points pt variable lc rgb variable lw 1.5 ps 1" + "\n";
  return plot;
}

}  // namespace spb::report
