// SPDX-License-Identifier: Apache-2.0
// What a table for humans shows, before it is drawn in a terminal or as Markdown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace spb::report {

/// Color of a row, on terminals that have it; never the only carrier of meaning.
enum class Tone { plain, worse, better, undecided };

/// One table; host timings never stand in one with a GPU's.
struct TableLayout {
  std::string heading;                          ///< above: what holds for all rows
  std::vector<std::string> headers;             ///< with units
  std::vector<bool> numeric;                    ///< per column: align right
  std::vector<std::vector<std::string>> cells;  ///< [row][column]
  std::vector<Tone> tones;                      ///< per row; empty when all are plain
  std::vector<std::string> notes;               ///< what the marks in cells mean
};

/// Three significant digits without exponent: 0.0123, 1.23, 12.3, 12300.
std::string three_digits(double value);

/// Three significant digits with the unit that keeps the number short: "412 µs", "1.5 ms", "2 s".
std::string time_text(double time_us);

/// The same for bytes, decimal: "12.3 MB".
std::string bytes_text(int64_t bytes);

/// Columns of a terminal, not bytes: one per UTF-8 code point.
size_t display_width(const std::string& text);

/// Words of a line in lines of `width` columns at most, a longer word alone; 0: in one line.
std::vector<std::string> wrapped(const std::string& line, size_t width);

/// The text, or where it has more than `width` columns its beginning and an ellipsis.
std::string beginning(const std::string& text, size_t width);

/// The same of its end: the last parts of a case's name tell it from the next.
std::string ending(const std::string& text, size_t width);

}  // namespace spb::report
