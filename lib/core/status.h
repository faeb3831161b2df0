// SPDX-License-Identifier: Apache-2.0
// How a row ended, and what of a case it timed.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace spb {

enum class Status {
  ok,           ///< measured; verify_status says whether proven
  throttled,    ///< measured under throttling
  incorrect,    ///< verification found it wrong
  mistrusted,   ///< verification could not be trusted
  unsupported,  ///< refused, with the constraint
  skipped,      ///< left out
  oom,
  error,
  timeout
};
inline constexpr std::array kStatusNames{"ok",         "throttled",   "incorrect",
                                         "mistrusted", "unsupported", "skipped",
                                         "oom",        "error",       "timeout"};

enum class Phase { map_build, plan, kernel, end_to_end, step };
inline constexpr std::array kPhaseNames{"map_build", "plan", "kernel", "end_to_end", "step"};

constexpr const char* name(Status status) { return kStatusNames[static_cast<size_t>(status)]; }
constexpr const char* name(Phase phase) { return kPhaseNames[static_cast<size_t>(phase)]; }

/// The value of that name, or nothing: a newer version may have written another.
constexpr std::optional<Status> parse_status(std::string_view text) {
  const auto found = std::ranges::find(kStatusNames, text);
  if (found == kStatusNames.end()) return std::nullopt;
  return static_cast<Status>(found - kStatusNames.begin());
}
constexpr std::optional<Phase> parse_phase(std::string_view text) {
  const auto found = std::ranges::find(kPhaseNames, text);
  if (found == kPhaseNames.end()) return std::nullopt;
  return static_cast<Phase>(found - kPhaseNames.begin());
}

}  // namespace spb
