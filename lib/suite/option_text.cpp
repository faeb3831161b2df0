// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>

#include "suite/options.h"

namespace spb::suite {

std::string text(const Value& value) {
  return std::visit(
      [](const auto* stored) {
        if constexpr (std::is_same_v<decltype(stored), const std::optional<int>*>)
          return *stored ? fmt::format("{}", **stored) : std::string();
        else
          return fmt::format("{}", *stored);
      },
      value);
}

}  // namespace spb::suite
