// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <string>

#include "command.h"
#include "man_page.h"
#include "suite/build_info.h"

namespace spb::app {

Action declare_man(CLI::App& app) {
  return [&app](std::span<const Algorithm> algorithms) {
    fmt::print("{}", man_page(command_tree(*app.get_parent(), algorithms),
                              suite::build_info().version, exit_codes()));
    return ExitCode::ok;
  };
}

}  // namespace spb::app
