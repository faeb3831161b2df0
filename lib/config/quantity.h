// SPDX-License-Identifier: Apache-2.0
// Numbers with units, as users write them: times and shares.
#pragma once

#include <string>

namespace spb::config {

/// "3%" or "3" to 0.03. Throws Error (usage) naming `where` for anything else.
double parse_percent(const std::string& text, const char* where);

/// "90s", "500ms", "1us", "10m", "1.5h" to seconds; a bare number is of `bare_s` seconds each.
/// Throws Error (usage) naming `where` for anything else.
double parse_time_s(const std::string& text, const char* where, double bare_s = 1);

}  // namespace spb::config
