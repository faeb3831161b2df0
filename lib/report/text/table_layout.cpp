// SPDX-License-Identifier: Apache-2.0
#include "report/text/table_layout.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <span>
#include <sstream>

namespace spb::report {
namespace {

struct Scale {
  double factor;
  const char* unit;
};
constexpr Scale kTimes[] = {{1e6, "s"}, {1e3, "ms"}, {1, "µs"}};
constexpr Scale kBytes[] = {{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}};

/// The largest unit in which `value` is at least 1, else the smallest unit.
const Scale& pick(std::span<const Scale> scales, double value) {
  for (const Scale& scale : scales)
    if (value >= scale.factor) return scale;
  return scales.back();
}

constexpr const char* kEllipsis = "…";

/// Whether a byte of UTF-8 is the first of its code point.
bool begins_a_column(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

}  // namespace

std::string three_digits(double value) {
  if (!std::isfinite(value)) return "";
  if (value == 0) return "0";
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
  const double step = std::pow(10.0, exponent - 2);
  const double rounded = exponent > 2 ? std::round(value / step) * step : value;
  std::string text = fmt::format("{:.{}f}", rounded, std::max(0, 2 - exponent));
  // 9.996 rounds to four digits, "10.00": the step of the next decade is meant.
  if (std::abs(std::stod(text)) >= std::pow(10.0, exponent + 1) && exponent < 2) text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string time_text(double time_us) {
  const Scale& scale = pick(kTimes, time_us);
  return three_digits(time_us / scale.factor) + " " + scale.unit;
}

std::string bytes_text(int64_t bytes) {
  const Scale& scale = pick(kBytes, static_cast<double>(bytes));
  return three_digits(static_cast<double>(bytes) / scale.factor) + " " + scale.unit;
}

size_t display_width(const std::string& text) {
  return static_cast<size_t>(std::ranges::count_if(text, begins_a_column));
}

std::vector<std::string> wrapped(const std::string& line, size_t width) {
  if (width == 0) return {line};
  const size_t first = std::min(line.find_first_not_of(' '), line.size());
  std::vector<std::string> lines{line.substr(0, first)};
  std::istringstream words(line);
  bool begins = true;
  for (std::string word; words >> word; begins = false) {
    const size_t blank = begins ? 0 : 1;
    if (!begins && display_width(lines.back()) + blank + display_width(word) > width)
      lines.push_back(word);
    else
      lines.back() += (begins ? "" : " ") + word;
  }
  return lines;
}

std::string beginning(const std::string& text, size_t width) {
  if (display_width(text) <= width) return text;
  size_t end = 0, columns = 0;
  for (; end < text.size(); ++end)
    if (begins_a_column(text[end]) && ++columns == std::max<size_t>(width, 1)) break;
  return text.substr(0, end) + kEllipsis;
}

std::string ending(const std::string& text, size_t width) {
  if (display_width(text) <= width) return text;
  size_t begin = text.size(), columns = 1;
  while (columns < width) columns += begins_a_column(text[--begin]);
  return kEllipsis + text.substr(begin);
}

}  // namespace spb::report
