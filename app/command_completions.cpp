// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <string>

#include "command.h"
#include "completions.h"
#include "core/nearest.h"

namespace spb::app {
namespace {

struct Shell {
  const char* name;
  std::string (*script)(std::span<const CommandInfo>);
};
constexpr Shell kShells[] = {
    {"bash", bash_completions}, {"zsh", zsh_completions}, {"fish", fish_completions}};

}  // namespace

std::vector<std::string> shells() {
  std::vector<std::string> names;
  for (const Shell& shell : kShells) names.emplace_back(shell.name);
  return names;
}

Action declare_completions(CLI::App& app) {
  auto name = std::make_shared<std::string>();
  app.add_option("SHELL", *name, fmt::format("{}", fmt::join(shells(), ", ")))->required();
  return [name, &app](std::span<const Algorithm> algorithms) {
    for (const Shell& shell : kShells)
      if (*name == shell.name) {
        fmt::print("{}", shell.script(command_tree(*app.get_parent(), algorithms)));
        return ExitCode::ok;
      }
    throw usage_error("SHELL", unknown_name(*name, shells()),
                      fmt::format("use one of {}", fmt::join(shells(), ", ")));
  };
}

}  // namespace spb::app
