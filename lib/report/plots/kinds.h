// SPDX-License-Identifier: Apache-2.0
// The kinds of plots, each a function from cases to gnuplot commands.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/plots/plots.h"
#include "report/plots/style.h"
#include "report/summary/tables.h"

namespace spb::report {

/// What one plot is about. A plot without any value is none.
struct PlotScope {
  const CaseSet* set;
  const DeviceCases* device;
  std::string direction;  ///< empty: all
  std::string suffix;     ///< of the file name: tells devices apart
};

/// A number per case.
struct Metric {
  const char* name;  ///< of its files
  // Of the next three: {0} the cache state, {1} the time unit, {2} the baseline.
  const char* kind;  ///< heading
  const char* axis;
  const char* description;
  AxisScale scale;
  double (*value)(const Case& one, const TimeUnit& unit);
  double reference;  ///< a line at this value, none when 0
  bool timed;        ///< noise matters
};
/// Time, speedup, memory, redundancy.
std::span<const Metric> metrics();
/// Rows are workloads and dtypes, a point per algorithm.
std::optional<Plot> dot_plot(const PlotScope& scope, const Metric& metric);

/// The same rows, a bar per algorithm: the shares of maps, the rest of the plan, and the kernel.
std::optional<Plot> phases_plot(const PlotScope& scope);

/// Arithmetic intensity and throughput; the ceilings where they were measured.
std::optional<Plot> roofline_plot(const PlotScope& scope, const std::string& dtype);

/// What the dense convolution of the whole box takes, over the fastest verified kernel, by
/// occupancy: a line per layer that was measured at several.
std::optional<Plot> occupancy_plot(const PlotScope& scope);

/// The fastest verified time of each row on every GPU.
std::optional<Plot> devices_plot(const CaseSet& set, const std::string& direction);

/// Rows of a plot, top first: their cells and labels.
struct PlotRows {
  std::vector<Cell> cells;
  std::vector<std::string> labels;
  std::string common;  ///< the workload, when it is the same in all rows

  double y(size_t row) const { return static_cast<double>(cells.size() - 1 - row); }
  int label_width() const;
  /// `text` behind what is common.
  std::string before(const std::string& text) const;
  /// y range and labels.
  std::string commands() const;
};
PlotRows plot_rows(const CaseSet& set, std::vector<Cell> cells);
PlotRows plot_rows(const PlotScope& scope);

/// The ranked algorithms of these cells, in order, with their looks.
std::vector<LegendEntry> legend_of(const CaseSet& set, const std::vector<Cell>& cells);

/// Where algorithm `index` stands within its row, so that equal values do not hide each other.
double dodge(size_t index, size_t count);

/// Width, height and margins for rows of `row_pixels` each.
Frame frame_for(const PlotRows& rows, size_t legend_size, int row_pixels);

}  // namespace spb::report
