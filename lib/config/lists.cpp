// SPDX-License-Identifier: Apache-2.0
#include "config/lists.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "core/error.h"
#include "core/problem.h"

namespace spb::config {
namespace {

constexpr size_t kMaxElements = 100000;

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

int positive(std::string_view text, std::string_view where) {
  const int64_t value = parse_integer(text, 1, where);
  if (value > std::numeric_limits<int>::max())
    throw usage_error(where, fmt::format("{} is too large", text), "use at most 2147483647");
  return static_cast<int>(value);
}

/// Of all the elements of a list, ranges written out.
void check_length(size_t length, std::string_view where) {
  if (length > kMaxElements)
    throw usage_error(where, fmt::format("the list has over {} values", kMaxElements),
                      "shorten it");
}

/// One element: an integer or a range.
std::vector<int> integers_of(std::string_view text, std::string_view where) {
  const size_t dash = text.find('-', 1);
  if (dash == std::string_view::npos) return {positive(text, where)};
  const size_t sign = text.find_first_of("+*", dash);
  const int64_t first = positive(text.substr(0, dash), where);
  const int64_t last = positive(text.substr(dash + 1, sign - dash - 1), where);
  const bool multiplies = sign != std::string_view::npos && text[sign] == '*';
  const int64_t step = sign == std::string_view::npos ? 1 : positive(text.substr(sign + 1), where);
  if (last < first)
    throw usage_error(where, fmt::format("the range {} ends before it begins", text));
  if (multiplies && step < 2)
    throw usage_error(where, fmt::format("the range {} never ends", text), "multiply by 2 or more");
  std::vector<int> values;
  for (int64_t value = first; value <= last; value = multiplies ? value * step : value + step) {
    if (values.size() == kMaxElements)
      throw usage_error(where, fmt::format("the range {} has over {} values", text, kMaxElements));
    values.push_back(static_cast<int>(value));
  }
  return values;
}

}  // namespace

std::vector<std::string> split_list(std::string_view text, std::string_view where) {
  std::vector<std::string> elements;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    elements.emplace_back(trimmed(text.substr(begin, end - begin)));
    if (elements.back().empty())
      throw usage_error(where, fmt::format("\"{}\" has an empty element", text),
                        "write values with one comma between them");
    check_length(elements.size(), where);
    begin = end + 1;
  }
  return elements;
}

std::vector<int> parse_integers(std::string_view text, std::string_view where) {
  std::vector<int> values;
  for (const std::string& element : split_list(text, where)) {
    for (const int value : integers_of(element, where)) values.push_back(value);
    check_length(values.size(), where);
  }
  return values;
}

std::vector<Channels> parse_channels(std::string_view text, std::string_view where) {
  const auto check = [&](int channels) {
    if (channels > kMostChannels)
      throw usage_error(where, fmt::format("{} channels are too many", channels),
                        fmt::format("use at most {}", kMostChannels));
  };
  std::vector<Channels> values;
  for (const std::string& element : split_list(text, where)) {
    const std::string_view view = element;
    if (const size_t colon = view.find(':'); colon != std::string_view::npos)
      values.push_back(
          {positive(view.substr(0, colon), where), positive(view.substr(colon + 1), where)});
    else
      for (const int value : integers_of(view, where)) values.push_back({value, value});
    check_length(values.size(), where);
  }
  for (const Channels& pair : values) {
    check(pair.c_in);
    check(pair.c_out);
  }
  return values;
}

std::vector<Int3> parse_sizes(std::string_view text, std::string_view where) {
  std::vector<Int3> values;
  for (const std::string& element : split_list(text, where)) {
    if (element.find('x') != std::string::npos)
      values.push_back(parse_int3(element, where));
    else
      for (const int value : integers_of(element, where)) values.push_back({value, value, value});
    check_length(values.size(), where);
  }
  return values;
}

double parse_positive(std::string_view text, std::string_view where) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || !std::isfinite(value) ||
      value <= 0)
    throw usage_error(where, fmt::format("\"{}\" is no number above 0", text));
  return value;
}

int64_t parse_integer(std::string_view text, int64_t low, std::string_view where) {
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || value < low)
    throw usage_error(where, fmt::format("\"{}\" is no integer from {} on", text, low));
  return value;
}

bool parse_flag(std::string_view text, std::string_view where) {
  if (text == "true" || text == "1" || text == "on") return true;
  if (text == "false" || text == "0" || text == "off") return false;
  throw usage_error(where, fmt::format("\"{}\" is neither true nor false", text));
}

}  // namespace spb::config
