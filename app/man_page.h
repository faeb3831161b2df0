// SPDX-License-Identifier: Apache-2.0
// The manual page, from the tables of commands and options.
#pragma once

#include <span>
#include <string>

#include "command_tree.h"

namespace spb::app {

/// roff with the man macros, section 1. `exit_codes` are the lines of --help below their heading.
std::string man_page(std::span<const CommandInfo> commands, const std::string& version,
                     const std::string& exit_codes);

}  // namespace spb::app
