// SPDX-License-Identifier: Apache-2.0
#include "core/nesting.h"

#include <algorithm>
#include <vector>

namespace spb {
namespace {

/// Where the string ends that begins at `begin`: at its last quote, or before the end of its line.
/// TOML has strings without escapes ('...') and of several lines ("""...""").
size_t end_of_string(std::string_view text, size_t begin) {
  const char quote = text[begin];
  const auto is_triple = [&](size_t at) {
    return at + 2 < text.size() && text[at] == quote && text[at + 1] == quote &&
           text[at + 2] == quote;
  };
  const bool triple = is_triple(begin);
  for (size_t at = begin + (triple ? 3 : 1); at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\')
      ++at;
    else if (!triple && text[at] == quote)
      return at;
    else if (triple && is_triple(at))  // two more may stand before the three that end it
      return std::min(text.find_first_not_of(quote, at + 3), at + 5) - 1;
    else if (!triple && text[at] == '\n')
      return at - 1;
  }
  return text.size() - 1;
}

}  // namespace

std::optional<int64_t> line_of_deep_nesting(std::string_view text) {
  // Dots of the key or number at hand, and of those around each open bracket, with the bracket.
  int64_t dots = 0, levels = 0;
  std::vector<int64_t> around;
  for (size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '"':
      case '\'':
        at = end_of_string(text, at);
        break;
      case '#':
        at = std::min(text.find('\n', at), text.size()) - 1;
        break;
      case '\n':
        if (around.empty()) dots = 0;
        break;
      case ',':
        dots = 0;
        break;
      case '.':
        ++dots;
        break;
      case '[':
      case '{':
        around.push_back(dots + 1);
        levels += around.back();
        dots = 0;
        break;
      case ']':
      case '}':
        if (around.empty()) break;
        levels -= around.back();
        dots = around.back() - 1;
        around.pop_back();
        break;
      default:
        break;
    }
    if (levels + dots > kMostLevels) return 1 + std::ranges::count(text.substr(0, at), '\n');
  }
  return std::nullopt;
}

}  // namespace spb
