// SPDX-License-Identifier: Apache-2.0
// JSON that somebody else may have written: how deep it nests, and numbers that neither wrap nor
// lose a fraction, as those of nlohmann-json do.
#pragma once

#include <cstdint>
#include <exception>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/nesting.h"

namespace spb {

/// What a library's exception says of JSON, without its own mark:
/// "[json.exception.type_error.302]".
inline std::string json_reason(const std::exception& error) {
  const std::string_view text = error.what();
  const size_t mark = text.starts_with("[json.exception.") ? text.find("] ") : text.npos;
  return std::string(mark == text.npos ? text : text.substr(mark + 2));
}

/// The value that `text` is; a discarded one where it is none. Throws Error (runtime) naming
/// `where` when it nests deeper than kMostLevels.
template <typename Json = nlohmann::json>
Json parse_json(std::string_view text, std::string_view where) {
  if (line_of_deep_nesting(text))
    throw input_error(where,
                      fmt::format("nests lists and objects deeper than {} levels", kMostLevels),
                      "no file of spconv-bench does; make it again");
  return Json::parse(text, nullptr, false);
}

/// A value in the words of a message, no longer than one of them.
template <typename Json>
std::string brief(const Json& value) {
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  return value.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 40);
}

/// Throws std::invalid_argument naming `what` unless `value` is a whole number from `low` to
/// `high`, written as one.
template <typename Whole, typename Json>
Whole whole_number(const Json& value, std::string_view what,
                   Whole low = std::numeric_limits<Whole>::min(),
                   Whole high = std::numeric_limits<Whole>::max()) {
  const bool fits = value.is_number_unsigned() ? value.template get<uint64_t>() <=
                                                     uint64_t{std::numeric_limits<int64_t>::max()}
                                               : value.is_number_integer();
  const int64_t number = fits ? value.template get<int64_t>() : 0;
  if (!fits || number < low || number > high)
    throw std::invalid_argument(fmt::format("{} is {}, expected a whole number from {} to {}", what,
                                            brief(value), low, high));
  return static_cast<Whole>(number);
}

/// Throws std::invalid_argument naming `what` unless `value` is a number; true is none.
template <typename Json>
double real_number(const Json& value, std::string_view what) {
  if (value.is_number()) return value.template get<double>();
  throw std::invalid_argument(fmt::format("{} is {}, expected a number", what, brief(value)));
}

}  // namespace spb
