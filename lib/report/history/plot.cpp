// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "report/history/writers.h"
#include "report/plots/style.h"

namespace spb::report {
namespace {

constexpr int kLeft = 64, kPlotHeight = 220, kAxis = 96, kTitle = 34;

bool has_all(const HistoryLine& line) {
  return std::ranges::all_of(line.points,
                             [](const HistoryPoint& point) { return point.time_us.has_value(); });
}

int64_t rows_in_all(const History& history, const std::string& device) {
  return std::ranges::count_if(history.lines, [&](const HistoryLine& line) {
    return line.device == device && has_all(line);
  });
}

/// By algorithm: per run the geometric mean of the times over those of the first run, in percent
/// above it.
std::map<std::string, std::vector<double>> changes(const History& history,
                                                   const std::string& device) {
  std::map<std::string, std::vector<double>> sums;
  std::map<std::string, int> rows;
  for (const HistoryLine& line : history.lines) {
    if (line.device != device || !has_all(line)) continue;
    auto& sum = sums[line.algorithm];
    sum.resize(line.points.size());
    ++rows[line.algorithm];
    for (size_t i = 0; i < sum.size(); ++i)
      sum[i] += std::log(*line.points[i].time_us / *line.points.front().time_us);
  }
  for (auto& [algorithm, sum] : sums)
    for (double& value : sum) value = 100 * (std::exp(value / rows[algorithm]) - 1);
  return sums;
}

std::optional<Plot> plot_of(const History& history, const std::string& device, size_t index,
                            const std::vector<std::string>& known) {
  const auto lines = changes(history, device);
  if (lines.empty() || history.runs.size() < 2) return std::nullopt;
  CaseSet set;
  set.known = known;
  for (const auto& [algorithm, values] : lines) set.algorithms.push_back(algorithm);

  std::vector<LegendEntry> legend;
  std::string data, plots;
  double low = 0, high = 0;
  for (const auto& [algorithm, values] : lines) {
    const PlotStyle style = style_of(set, algorithm);
    const std::string block = fmt::format("$line{}", legend.size());
    legend.push_back({algorithm, style});
    data += block + " << EOD\n";
    for (size_t i = 0; i < values.size(); ++i) {
      data += fmt::format("{} {:.6g}\n", i, values[i]);
      low = std::min(low, values[i]);
      high = std::max(high, values[i]);
    }
    data += "EOD\n";
    plots += fmt::format("{}{} using 1:2 with linespoints pt {} ps 0.9 lw 1.5 lc rgb '{}'",
                         plots.empty() ? "plot " : ", ", block, style.filled, style.color);
  }
  std::string tics;
  const std::vector<std::string> labels = run_labels(history);
  for (size_t i = 0; i < labels.size(); ++i)
    tics += fmt::format("{}{} {}", i ? ", " : "", gnuplot_text(labels[i]), i);

  const Frame frame{.width = 560,
                    .height = kTitle + kPlotHeight + kAxis + legend_height(legend.size()),
                    .left = kLeft,
                    .bottom = kAxis + legend_height(legend.size())};
  Plot plot;
  plot.name = index ? fmt::format("history_{}", index + 1) : "history";
  plot.kind = "History";
  plot.title = fmt::format("{}: time over the first run [%], {} rows that all runs have", device,
                           rows_in_all(history, device));
  plot.description = "Geometric mean of the rows of each algorithm; lower is faster.";
  plot.width = frame.width;
  plot.height = frame.height;
  const double room = std::max(1.0, (high - low) * 0.08);
  plot.script = data + frame_commands(frame, plot.title, "", legend) +
                fmt::format(
                    "set xrange [-0.3:{}.3]\nset xtics rotate by 30 right ({})\n"
                    "set yrange [{:.6g}:{:.6g}]\nset format y '%+g'\n{}\n",
                    history.runs.size() - 1, tics, low - room, high + room, plots);
  return plot;
}

}  // namespace

std::vector<Plot> history_plots(const History& history, const std::vector<std::string>& known) {
  std::vector<Plot> plots;
  const std::string* last = nullptr;
  for (const HistoryLine& line : history.lines) {
    if (last && *last == line.device) continue;
    last = &line.device;
    if (auto plot = plot_of(history, line.device, plots.size(), known))
      plots.push_back(std::move(*plot));
  }
  return plots;
}

}  // namespace spb::report
