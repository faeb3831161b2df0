// SPDX-License-Identifier: Apache-2.0
// What CLI11 checks of option values: its own words for ranges spell out the largest double.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "config/lists.h"
#include "config/quantity.h"
#include "core/error.h"
#include "core/nearest.h"

namespace spb::suite {

/// For CLI::Option::check(): what is wrong, or empty.
inline std::string above_zero(const std::string& text) {
  try {
    config::parse_positive(text, "");
    return {};
  } catch (const Error&) {
    return fmt::format("\"{}\" is no number above 0", text);
  }
}

/// A whole number from `least` to `most`.
inline std::function<std::string(const std::string&)> whole_between(int64_t least, int64_t most) {
  return [=](const std::string& text) {
    try {
      if (config::parse_integer(text, least, "") <= most) return std::string();
    } catch (const Error&) {
    }
    return fmt::format("\"{}\" is no whole number from {} to {}", text, least, most);
  };
}

/// That a training step may have.
inline constexpr int kMostStepLayers = 1000;

/// Of --runs: whole numbers from 1 to 1000, with commas between.
inline std::string layer_counts(const std::string& text) {
  try {
    for (const int layers : config::parse_integers(text, ""))
      if (layers < 1 || layers > kMostStepLayers)
        return fmt::format("{} is not from 1 to {}", layers, kMostStepLayers);
    return {};
  } catch (const Error&) {
    return fmt::format("\"{}\" is no list of whole numbers from 1 on, as 1,4", text);
  }
}

/// A number from 0 to `most`.
inline std::function<std::string(const std::string&)> up_to(double most) {
  return [=](const std::string& text) {
    double value = -1;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number = error == std::errc() && stop == text.data() + text.size();
    return is_number && value >= 0 && value <= most
               ? std::string()
               : fmt::format("\"{}\" is no number from 0 to {:g}", text, most);
  };
}

/// A time above 0: 500ms, 90s, 10m.
inline std::string duration(const std::string& text) {
  try {
    if (config::parse_time_s(text, "") > 0) return {};
  } catch (const Error&) {
  }
  return fmt::format("\"{}\" is no time as 500ms, 90s or 10m", text);
}

/// Of --device.
inline std::string device_index(const std::string& text) {
  return text == "all" || whole_between(0, 1023)(text).empty()
             ? std::string()
             : fmt::format("\"{}\" is neither all nor an index of list devices", text);
}

/// Of --lock-clocks.
inline std::string base_or_mhz(const std::string& text) {
  return text == "base" || whole_between(1, 99999)(text).empty()
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

}  // namespace spb::suite
