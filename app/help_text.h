// SPDX-License-Identifier: Apache-2.0
// What --help prints, from the tables of commands and options, in lines that fit the terminal.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "command_tree.h"

namespace spb::app {

/// Of one command. `exit_codes` as in command.h; without them and the examples where `brief`.
std::string help_text(const CommandInfo& command, const std::string& exit_codes, bool brief,
                      size_t width);

/// Of the program: its commands.
std::string help_text(std::span<const CommandInfo> commands, const std::string& exit_codes,
                      size_t width);

}  // namespace spb::app
