#include <CLI/CLI.hpp>
#include <memory>

#include "checks.h"
#include "command.h"
#include "suite_run.h"

namespace spb::app {

Action declare_run(CLI::App& app) {
  auto options = std::make_shared<SuiteRunOptions>();
  options->command = "run";
  add_suite_run_options(app, *options);
  app.get_option("--out")->description("folder for records.jsonl and results.csv [results/RUN_ID]");
  app.add_flag("--resume", options->resume,
               "go on with the killed or interrupted run in --out: what is there is not repeated")
      ->needs("--out")
      ->group("Output");
  app.add_flag("--no-verify", options->no_verify, "time only; rows are never ranked")
      ->group("Verification");
  app.add_flag("--time-anyway", options->run.time_anyway,
               "time also what failed verification; never ranked")
      ->group("Timing");
  app.add_option("--max-time", options->run.max_time_s, "limit of timing one case, in seconds")
      ->option_text("2")
      ->check(above_zero)
      ->group("Timing");
  app.add_option("--min-samples", options->run.min_samples, "samples per phase at least")
      ->option_text("10")
      ->check(above_zero)
      ->group("Timing");
  return
      [options](std::span<const Algorithm> algorithms) { return run_suite(*options, algorithms); };
}

}  // namespace spb::app
