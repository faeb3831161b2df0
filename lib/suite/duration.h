// SPDX-License-Identifier: Apache-2.0
// Times on the command line.
#pragma once

#include <string>
#include <string_view>

namespace spb::suite {

/// Seconds of "90", "90s", "10m", "1.5h". Throws Error (usage) naming `where`.
double parse_duration_s(std::string_view text, std::string_view where);

}  // namespace spb::suite
