// SPDX-License-Identifier: Apache-2.0
#include "suite_run_options.h"

#include <CLI/CLI.hpp>

#include "add_options.h"
#include "list_names.h"
#include "plugins.h"
#include "progress.h"
#include "runs_option.h"
#include "suite/isolated_runner.h"

namespace spb::app {

void add_suite_run_options(CLI::App& app, SuiteCommandOptions& options) {
  add_case_options(app, options.run.cases, CaseScope::cases);
  for (const suite::RunOption& option : suite::run_options())
    if (option.flags && (!option.of_run || options.run.command == "run"))
      add_option(app, option, options.run);
  // Not shown: see isolated_runner.h.
  app.add_option(suite::kWorkerOption, options.run.worker)->group("");
  add_console_options(app, options.console);
}

ExitCode show_suite(const SuiteCommandOptions& options, std::span<const Algorithm> algorithms) {
  options.console.apply();
  const KnownAlgorithms known = with_plugins(algorithms, options.run.plugin_files);
  suite::SuiteRunOptions run = options.run;
  run.plugins = known.plugins;
  Progress progress(list_names("algorithms", known.rows), runs_of(run.runs));
  const ExitCode code = suite::run_suite(run, known.rows, progress);
  if (options.run.dry_run && options.run.worker < 0) progress.print_plan_total();
  return code;
}

}  // namespace spb::app
