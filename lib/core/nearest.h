// SPDX-License-Identifier: Apache-2.0
// "did you mean": the known name closest to a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace spb {

/// The name with the smallest edit distance (Levenshtein) to `word`, else the first one that begins
/// with it, or empty when none is close.
std::string nearest_name(std::string_view word, std::span<const std::string> names);

/// `"WORD" is unknown; did you mean "NEAR"?`, or `"WORD" is unknown` when no name is close.
std::string unknown_name(std::string_view word, std::span<const std::string> names);

}  // namespace spb
