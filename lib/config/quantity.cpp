// SPDX-License-Identifier: Apache-2.0
#include "config/quantity.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <span>
#include <string_view>

#include "core/error.h"

namespace spb::config {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};
constexpr Unit kPercent[] = {{"", 0.01}, {"%", 0.01}};

double parse(const std::string& text, std::span<const Unit> units, const char* where,
             const char* what, const char* example) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && std::isfinite(value) && value >= 0)
    for (const Unit& unit : units)
      if (unit.name == std::string_view(end)) return value * unit.factor;
  throw usage_error(where, fmt::format("\"{}\" is no {}", text, what),
                    fmt::format("write {}", example));
}

}  // namespace

double parse_percent(const std::string& text, const char* where) {
  return parse(text, kPercent, where, "share", "3%");
}

double parse_time_s(const std::string& text, const char* where, double bare_s) {
  const Unit units[] = {{"", bare_s}, {"ns", 1e-9}, {"us", 1e-6}, {"µs", 1e-6},
                        {"ms", 1e-3}, {"s", 1},     {"m", 60},    {"h", 3600}};
  return parse(text, units, where, "time", "it as 500ms, 90s or 10m");
}

}  // namespace spb::config
