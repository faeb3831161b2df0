// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace spb {

/// What a file or its name holds must neither break a line nor steer a terminal: blanks for the
/// ends of lines and tabs, "?" for other control characters. As many columns as before.
std::string one_line(std::string text);

}  // namespace spb
