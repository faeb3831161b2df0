// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "suite_run_options.h"

namespace spb::app {

Action declare_run(CLI::App& app) {
  auto options = std::make_shared<SuiteCommandOptions>();
  options->run.command = "run";
  add_suite_run_options(app, *options);
  app.get_option("--out")->description("folder for records.jsonl and results.csv [results/RUN_ID]");
  return
      [options](std::span<const Algorithm> algorithms) { return show_suite(*options, algorithms); };
}

}  // namespace spb::app
