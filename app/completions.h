// SPDX-License-Identifier: Apache-2.0
// Scripts that complete the command line, one per shell.
#pragma once

#include <span>
#include <string>

#include "command_tree.h"

namespace spb::app {

std::string bash_completions(std::span<const CommandInfo> commands);
std::string zsh_completions(std::span<const CommandInfo> commands);
std::string fish_completions(std::span<const CommandInfo> commands);

}  // namespace spb::app
