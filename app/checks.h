// What CLI11 checks of option values: its own words for ranges spell out the largest double.
#pragma once

#include <fmt/format.h>
#include <string>

#include "config/lists.h"
#include "core/error.h"

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

}  // namespace spb::app
