// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "suite_run_options.h"

namespace spb::app {

Action declare_verify(CLI::App& app) {
  auto options = std::make_shared<SuiteCommandOptions>();
  options->run.command = "verify";
  options->run.run.time = false;
  add_suite_run_options(app, *options);
  return
      [options](std::span<const Algorithm> algorithms) { return show_suite(*options, algorithms); };
}

}  // namespace spb::app
