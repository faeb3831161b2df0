// SPDX-License-Identifier: Apache-2.0
// How a row ended, what of a case it timed, and what its verification found.
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

/// Of the kernel phase; none in every other.
enum class CacheState { none, cold, hot };
inline constexpr std::array kCacheNames{"", "cold", "hot"};

enum class VerifyStatus { not_run, pass, fail, mistrusted, unsupported };
inline constexpr std::array kVerifyNames{"not_run", "pass", "fail", "mistrusted", "unsupported"};

constexpr const char* name(Status status) { return kStatusNames[static_cast<size_t>(status)]; }
constexpr const char* name(Phase phase) { return kPhaseNames[static_cast<size_t>(phase)]; }
constexpr const char* name(CacheState state) { return kCacheNames[static_cast<size_t>(state)]; }
constexpr const char* name(VerifyStatus status) {
  return kVerifyNames[static_cast<size_t>(status)];
}

/// The value whose place among `names` the text has, or nothing: a newer version may have written
/// another.
template <class Enum, size_t N>
constexpr std::optional<Enum> parse_name(const std::array<const char*, N>& names,
                                         std::string_view text) {
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}
constexpr std::optional<Status> parse_status(std::string_view text) {
  return parse_name<Status>(kStatusNames, text);
}
constexpr std::optional<Phase> parse_phase(std::string_view text) {
  return parse_name<Phase>(kPhaseNames, text);
}
constexpr std::optional<CacheState> parse_cache(std::string_view text) {
  return parse_name<CacheState>(kCacheNames, text);
}
constexpr std::optional<VerifyStatus> parse_verify_status(std::string_view text) {
  return parse_name<VerifyStatus>(kVerifyNames, text);
}

}  // namespace spb
