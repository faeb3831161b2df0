// SPDX-License-Identifier: Apache-2.0
// std::source_location for clang up to 15, which lacks what libstdc++ makes it of. Headers of the
// host vendor name it; no code of a device runs in a fuzz target.
#pragma once

#if !__has_builtin(__builtin_source_location)
namespace std {
struct source_location {
  static constexpr source_location current() noexcept { return {}; }
  constexpr unsigned line() const noexcept { return 0; }
  constexpr const char* file_name() const noexcept { return ""; }
  constexpr const char* function_name() const noexcept { return ""; }
};
}  // namespace std
#endif
