// SPDX-License-Identifier: Apache-2.0
// The options that `run` and `verify` share, and what both do with them.
#pragma once

#include <span>

#include "case_options.h"
#include "suite/suite_run.h"

namespace spb::app {

struct SuiteCommandOptions {
  suite::SuiteRunOptions run;
  ConsoleOptions console;
};

void add_suite_run_options(CLI::App& app, SuiteCommandOptions& options);

/// Shows on the console how the suite runs, and prints its results.
ExitCode show_suite(const SuiteCommandOptions& options, std::span<const Algorithm> algorithms);

}  // namespace spb::app
