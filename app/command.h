// SPDX-License-Identifier: Apache-2.0
// A command of the program: its options and what it does.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "core/error.h"

namespace CLI {
class App;
}

namespace spb::app {

/// What a command does once its options are parsed.
using Action = std::function<ExitCode(std::span<const Algorithm>)>;

/// One row of the command table.
struct Command {
  const char* name;
  const char* summary;
  const char* examples;  ///< lines of --help
  Action (*declare)(CLI::App& app);
};

Action declare_run(CLI::App& app);
Action declare_verify(CLI::App& app);
Action declare_inspect(CLI::App& app);
Action declare_generate(CLI::App& app);
Action declare_compare(CLI::App& app);
Action declare_report(CLI::App& app);
Action declare_history(CLI::App& app);
Action declare_peaks(CLI::App& app);
Action declare_merge(CLI::App& app);
Action declare_tune(CLI::App& app);
Action declare_selftest(CLI::App& app);
Action declare_list(CLI::App& app);
Action declare_completions(CLI::App& app);
Action declare_man(CLI::App& app);

/// All of them, in the order of --help.
std::span<const Command> commands();

/// The lines of --help that explain exit codes, below their heading.
const char* exit_codes();

/// Shells that `completions` writes for.
std::vector<std::string> shells();

}  // namespace spb::app
