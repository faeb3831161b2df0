// SPDX-License-Identifier: Apache-2.0
// What all plots share: colors, point types, axes, legends.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/summary/cases.h"

namespace spb::report {

/// How an algorithm looks in every plot. The shape says the same as the color.
struct PlotStyle {
  const char* color;   ///< the first are of Okabe and Ito, told apart by the color-blind
  int filled, hollow;  ///< gnuplot point types
};

/// By its place among the algorithms of this program, so that a color means the same everywhere;
/// others follow by their place in the set.
PlotStyle style_of(const CaseSet& set, std::string_view algorithm);

/// A neutral look for the i-th device: colors are for algorithms.
PlotStyle device_style(size_t index);

/// Of the i-th line in a plot that has none of algorithms.
PlotStyle line_style(size_t index);

/// Quoted for gnuplot; line ends become blanks.
std::string gnuplot_text(std::string_view text);

/// A logarithmic or linear axis over `values`: commands that set its range and tics.
enum class AxisScale { log2, log10, linear };
std::string axis_commands(char axis, std::vector<double> values, AxisScale scale);

struct LegendEntry {
  std::string text;
  PlotStyle style;
};
/// Pixels that a legend below the plot takes.
int legend_height(size_t entries);

/// In pixels.
struct Frame {
  int width, height, left, bottom;
};
/// Commands for title, margins, grid, and the legend at the bottom.
std::string frame_commands(const Frame& frame, std::string_view title, std::string_view x_label,
                           std::span<const LegendEntry> legend);

/// Pixels that text of the plots' font takes, roughly.
int text_width(std::string_view text);

}  // namespace spb::report
