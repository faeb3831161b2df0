// SPDX-License-Identifier: Apache-2.0
// How deep a text of JSON or TOML nests, told before a parser sees it: parsers and the trees they
// build call themselves once a level, and a file of 100 kB has levels enough for any stack.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace spb {

/// More levels than any file of this program has.
inline constexpr int64_t kMostLevels = 64;

/// The line, from 1, where lists, tables and the dots of keys first nest deeper than kMostLevels;
/// nothing when none does. What no parser takes may be told either way.
std::optional<int64_t> line_of_deep_nesting(std::string_view text);

}  // namespace spb
