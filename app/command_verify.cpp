#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "suite_run.h"

namespace spb::app {

Action declare_verify(CLI::App& app) {
  auto options = std::make_shared<SuiteRunOptions>();
  options->command = "verify";
  options->run.time = false;
  add_suite_run_options(app, *options);
  return
      [options](std::span<const Algorithm> algorithms) { return run_suite(*options, algorithms); };
}

}  // namespace spb::app
