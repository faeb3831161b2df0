// SPDX-License-Identifier: Apache-2.0
// Commands and options as data: what help, completions and the man page are made of.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"

namespace CLI {
class App;
}

namespace spb::app {

struct OptionInfo {
  std::vector<std::string> names;  ///< "--out", "-o": long ones first; none for an argument
  std::string value;               ///< what stands for its value: "DIR"; empty for a flag
  std::string text;
  std::string group;               ///< heading in --help
  std::vector<std::string> words;  ///< values that are known by name
  bool is_list = false;            ///< several of them, between commas
  bool repeats = false;            ///< an argument that takes several, one by one
  bool required = false;
};

struct CommandInfo {
  std::string name, summary, examples;
  std::vector<OptionInfo> arguments, options;
};

/// The shown options of every command. `program` is the parent of all commands.
std::vector<CommandInfo> command_tree(const CLI::App& program,
                                      std::span<const Algorithm> algorithms);

}  // namespace spb::app
