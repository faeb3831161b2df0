// SPDX-License-Identifier: Apache-2.0
// Numbers with a unit on the command line.
#pragma once

#include <string>

namespace spb::app {

/// A share: "3%" is 0.03, and so is "3". Throws Error (usage) naming `where` for anything else and
/// for less than 0.
double parse_percent(const std::string& text, const char* where);

/// Microseconds: "1us", "1.5ms", "500ns", "2s"; a bare number counts microseconds. Throws as above.
double parse_time_us(const std::string& text, const char* where);

}  // namespace spb::app
