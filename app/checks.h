// What CLI11 checks of option values: its own words for ranges spell out the largest double.
#pragma once

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "config/lists.h"
#include "core/error.h"
#include "core/nearest.h"

namespace spb::app {

/// For CLI::Option::check(): what is wrong, or empty.
inline std::string above_zero(const std::string& text) {
  try {
    config::parse_positive(text, "");
    return {};
  } catch (const Error&) {
    return fmt::format("\"{}\" is no number above 0", text);
  }
}

/// Of --lock-clocks.
inline std::string base_or_mhz(const std::string& text) {
  const bool is_whole = !text.empty() && text.size() < 6 && text.front() != '0' &&
                        text.find_first_not_of("0123456789") == std::string::npos;
  return text == "base" || is_whole
             ? std::string()
             : fmt::format("\"{}\" is neither base nor a clock in MHz", text);
}

/// One of these names; CLI11's own words suggest none.
inline std::function<std::string(const std::string&)> one_of(std::vector<std::string> names) {
  return [names = std::move(names)](const std::string& text) {
    if (std::ranges::find(names, text) != names.end()) return std::string();
    return fmt::format("{} (known: {})", unknown_name(text, names), fmt::join(names, ", "));
  };
}

}  // namespace spb::app
