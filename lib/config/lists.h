// SPDX-License-Identifier: Apache-2.0
// The list syntax of options: "16:32,64", "16-256*2", "8-64+8".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/coords.h"

namespace spb::config {

/// One pair of channel counts.
struct Channels {
  int c_in = 16, c_out = 32;
  friend bool operator==(const Channels&, const Channels&) = default;
};

/// All functions throw Error (usage) naming `where`, an option or "file:line".

/// Elements between commas without surrounding blanks; none may be empty.
std::vector<std::string> split_list(std::string_view text, std::string_view where);

/// Positive integers and ranges, both ends included: "8-64+8" adds, "16-256*2" multiplies, "1-4"
/// counts.
std::vector<int> parse_integers(std::string_view text, std::string_view where);

/// Pairs "16:32"; one number n, also of a range, is n:n.
std::vector<Channels> parse_channels(std::string_view text, std::string_view where);

/// Sizes per axis "3x3x1"; one number n, also of a range, is nxnxn.
std::vector<Int3> parse_sizes(std::string_view text, std::string_view where);

/// The whole text as a number, finite and above 0.
double parse_positive(std::string_view text, std::string_view where);

/// The whole text as an integer from `low` on.
int64_t parse_integer(std::string_view text, int64_t low, std::string_view where);

bool parse_flag(std::string_view text, std::string_view where);  ///< true, false, 1, 0, on, off

}  // namespace spb::config
