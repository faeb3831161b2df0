// SPDX-License-Identifier: Apache-2.0
// Lines, words and numbers of text formats: no locale, no copies.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <type_traits>

namespace spb::data {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Removes and returns the first line of `text`, without its LF or CR LF.
inline std::string_view next_line(std::string_view& text) {
  const size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// Removes and returns the first blank-separated word of `line`; empty when there is none.
inline std::string_view next_word(std::string_view& line) {
  size_t start = 0;
  while (start < line.size() && is_blank(line[start])) ++start;
  size_t end = start;
  while (end < line.size() && !is_blank(line[end])) ++end;
  const std::string_view word = line.substr(start, end - start);
  line.remove_prefix(end);
  return word;
}

/// A whole word as a number ("nan" and "inf" included for floats); nothing when a character is
/// left over or the value does not fit. Magnitudes below the smallest double count as zero.
template <typename T>
std::optional<T> parse_number(std::string_view word) {
  // from_chars knows no leading plus, which text formats do write.
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  T value{};
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || end != word.data() + word.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<T>) {
    const bool tiny = word.find("e-") != word.npos || word.find("E-") != word.npos;
    if (failure == std::errc::result_out_of_range && tiny) return T{0};
  }
  if (failure != std::errc()) return std::nullopt;
  return value;
}

}  // namespace spb::data
