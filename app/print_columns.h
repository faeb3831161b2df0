// SPDX-License-Identifier: Apache-2.0
// Plain aligned columns on stdout.
#pragma once

#include <string>
#include <vector>

namespace spb::app {

using Lines = std::vector<std::vector<std::string>>;

/// Two blanks between columns; columns of numbers are aligned right. Lines may be ragged.
void print_columns(const Lines& lines);

}  // namespace spb::app
