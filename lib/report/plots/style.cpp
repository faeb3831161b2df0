// SPDX-License-Identifier: Apache-2.0
#include "report/plots/style.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "report/text/table_layout.h"

namespace spb::report {
namespace {

// Black and yellow of Okabe and Ito's palette are left out: one is lost on a dark page, one on a
// light one. Then others that are told from them on both; shapes come again.
constexpr PlotStyle kStyles[] = {
    {"#7f7f7f", 5, 4},   {"#56b4e9", 7, 6},   {"#e69f00", 9, 8},   {"#d55e00", 11, 10},
    {"#0072b2", 13, 12}, {"#009e73", 15, 14}, {"#cc79a7", 7, 6},   {"#999933", 5, 4},
    {"#7b68c8", 9, 8},   {"#44aa99", 11, 10}, {"#aa4499", 13, 12},
};
constexpr PlotStyle kDeviceStyles[] = {
    {"#606060", 7, 6}, {"#606060", 4, 4}, {"#606060", 9, 8}, {"#606060", 12, 12}};

constexpr int kLegendLine = 16, kLegendColumns = 2, kTop = 34, kRight = 16;

/// Places for about five to nine tics.
std::vector<double> tics(double low, double high, AxisScale scale) {
  std::vector<double> found;
  if (scale == AxisScale::linear) {
    const double raw = (high - low) / 5, power = std::pow(10, std::floor(std::log10(raw)));
    const double step = power * (raw / power < 2 ? 2 : raw / power < 5 ? 5 : 10);
    for (double at = std::ceil(low / step) * step; at <= high * (1 + 1e-9); at += step)
      found.push_back(at);
    return found;
  }
  if (scale == AxisScale::log2) {
    const double step = std::max(1.0, std::ceil(std::log2(high / low) / 8));
    for (double at = std::ceil(std::log2(low)); at <= std::log2(high); at += step)
      found.push_back(std::exp2(at));
    return found;
  }
  if (high / low > 150) {
    const double step = std::max(1.0, std::ceil(std::log10(high / low) / 8));
    for (double decade = std::ceil(std::log10(low)); decade <= std::log10(high); decade += step)
      found.push_back(std::pow(10, decade));
    return found;
  }
  constexpr double kFew[] = {1, 2, 5}, kMany[] = {1, 1.5, 2, 3, 4, 5, 6, 8};
  const std::span<const double> digits =
      high / low > 8 ? std::span<const double>(kFew) : std::span<const double>(kMany);
  for (double decade = std::floor(std::log10(low)); decade <= std::log10(high); ++decade)
    for (const double digit : digits)
      if (const double at = digit * std::pow(10, decade); at >= low && at <= high)
        found.push_back(at);
  return found;
}

std::string tic_text(double value) {
  if (value >= 1e6) return fmt::format("{:.0e}", value);
  return fmt::format("{:.6g}", value);
}

}  // namespace

PlotStyle style_of(const CaseSet& set, std::string_view algorithm) {
  const auto place = [&](const std::vector<std::string>& list) {
    return static_cast<size_t>(std::ranges::find(list, algorithm) - list.begin());
  };
  const size_t known = place(set.known);
  const size_t index = known < set.known.size() ? known : known + place(set.algorithms);
  return kStyles[index % std::size(kStyles)];
}

PlotStyle device_style(size_t index) { return kDeviceStyles[index % std::size(kDeviceStyles)]; }

PlotStyle line_style(size_t index) { return kStyles[index % std::size(kStyles)]; }

std::string gnuplot_text(std::string_view text) {
  std::string result = "'";
  for (const char c : text)
    if (c == '\'')
      result += "''";
    else
      result += c == '\n' || c == '\r' ? ' ' : c;
  return result + "'";
}

std::string axis_commands(char axis, std::vector<double> values, AxisScale scale) {
  std::erase_if(values, [&](double value) {
    return !std::isfinite(value) || (scale != AxisScale::linear && value <= 0);
  });
  if (values.empty()) values = {1};  // nothing can be drawn on this axis
  const auto [least, most] = std::ranges::minmax(values);
  double low = least, high = most;
  if (scale == AxisScale::linear) {
    low = std::min(low, 0.0);
    high = high > low ? high + (high - low) * 0.05 : low + 1;
  } else {
    // A single value stands in the middle of something.
    const double room = high / low < 2 ? 1.5 : std::pow(high / low, 0.06);
    low /= room;
    high *= room;
  }
  std::string text = scale == AxisScale::linear ? "" : fmt::format("set logscale {}\n", axis);
  text += fmt::format("set {}range [{:.6g}:{:.6g}]\nset {}tics (", axis, low, high, axis);
  const char* comma = "";
  for (const double at : tics(low, high, scale)) {
    text += fmt::format("{}'{}' {:.9g}", comma, tic_text(at), at);
    comma = ", ";
  }
  return text + ")\n";
}

int legend_height(size_t entries) {
  return kLegendLine * ((static_cast<int>(entries) + kLegendColumns - 1) / kLegendColumns);
}

std::string frame_commands(const Frame& frame, std::string_view title, std::string_view x_label,
                           std::span<const LegendEntry> legend) {
  const auto share = [](int pixels, int of) { return static_cast<double>(pixels) / of; };
  std::string text = fmt::format(
      "set title {} offset 0,-0.4\nset xlabel {} offset 0,0.4\n"
      "set lmargin at screen {:.4f}\nset rmargin at screen {:.4f}\n"
      "set tmargin at screen {:.4f}\nset bmargin at screen {:.4f}\n"
      "set border 3 lc rgb '#808080'\nset tics nomirror scale 0.4 textcolor rgb 'black'\n"
      "set grid x y back lt 1 lc rgb '#d0d0d0' lw 0.6\nunset key\n",
      gnuplot_text(title), gnuplot_text(x_label), share(frame.left, frame.width),
      share(frame.width - kRight, frame.width), share(frame.height - kTop, frame.height),
      share(frame.bottom, frame.height));
  // gnuplot's own key keeps to the width of the graph, too narrow for two columns of names.
  const int lines = legend_height(legend.size()) / kLegendLine;
  for (int i = 0; i < static_cast<int>(legend.size()); ++i) {
    const LegendEntry& entry = legend[static_cast<size_t>(i)];
    const int x = 18 + i / lines * (frame.width - 18) / kLegendColumns;
    const int y = legend_height(legend.size()) - kLegendLine * (i % lines) - kLegendLine / 2;
    text += fmt::format(
        "set label {} {} at screen {:.4f},{:.4f} left offset 1,-0.2 point pt {} ps 0.9 "
        "lc rgb '{}' front\n",
        i + 1, gnuplot_text(entry.text), share(x, frame.width), share(y, frame.height),
        entry.style.filled, entry.style.color);
  }
  return text;
}

int text_width(std::string_view text) {
  return static_cast<int>(static_cast<double>(display_width(std::string(text))) * 6.6);
}

}  // namespace spb::report
