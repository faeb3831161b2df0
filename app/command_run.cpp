#include <CLI/CLI.hpp>
#include <memory>

#include "checks.h"
#include "command.h"
#include "suite_run_options.h"

namespace spb::app {

Action declare_run(CLI::App& app) {
  auto options = std::make_shared<SuiteCommandOptions>();
  suite::SuiteRunOptions& suite = options->run;
  suite.command = "run";
  add_suite_run_options(app, *options);
  app.get_option("--out")->description("folder for records.jsonl and results.csv [results/RUN_ID]");
  app.add_flag("--resume", suite.resume,
               "go on with the killed or interrupted run in --out: what is there is not repeated")
      ->needs("--out")
      ->group("Output");
  app.add_option("--retry", suite.retry,
                 "with --resume: run cases with these statuses again, as in error,timeout")
      ->option_text("STATUS")
      ->needs("--resume")
      ->group("Output");
  app.add_flag("--samples", suite.samples, "write the raw samples into samples.csv")
      ->group("Output");
  app.add_flag("--no-verify", suite.no_verify, "time only; rows are never ranked")
      ->group("Verification");
  app.add_flag("--time-anyway", suite.run.time_anyway,
               "time also what failed verification; never ranked")
      ->group("Timing");
  app.add_option("--max-time", suite.run.max_time_s, "limit of timing one case, in seconds")
      ->option_text("2")
      ->check(above_zero)
      ->group("Timing");
  app.add_option("--min-samples", suite.run.min_samples,
                 "samples per phase at least; a third of it when the time is up")
      ->option_text("30")
      ->check(above_zero)
      ->group("Timing");
  app.add_option("--settle", suite.run.settle_s,
                 "wait this long at most, in seconds, for the device's clock to settle")
      ->option_text("5")
      ->check(above_zero)
      ->group("Timing");
  app.add_option("--rest", suite.run.rest_rel,
                 "pause after each sample, in multiples of its time: a device at its power limit "
                 "then keeps the clock of short runs (recorded in clock_policy)")
      ->option_text("0")
      ->check(up_to(100))
      ->group("Timing");
  app.add_option("--rounds", suite.run.rounds,
                 "visit the algorithms of a problem this often, in random order")
      ->option_text("1")
      ->check(whole_between(1, 1000))
      ->group("Timing");
  app.add_option("--lock-clocks", suite.lock_clocks,
                 "hold the device's clock while the suite runs, at base or at so many MHz; needs "
                 "root, else warns")
      ->option_text("base|MHZ")
      ->check(base_or_mhz)
      ->group("Timing");
  app.add_flag("--require-lock", suite.require_lock, "fail where --lock-clocks cannot")
      ->needs("--lock-clocks")
      ->group("Timing");
  app.add_flag("--rerun-suspects", suite.rerun_suspects,
               "measure a case again, twice at most, when it was throttled, its clock fell, or its "
               "interval is too wide to show 3 %")
      ->group("Timing");
  app.add_option("--llc-bytes", suite.run.llc_bytes,
                 "size of the last cache that cold timing empties [the device's]")
      ->option_text("N")
      ->check(whole_between(1, int64_t{1} << 40))
      ->group("Timing");
  app.add_option("--peaks", suite.peaks,
                 "limits of the device, for the roofline columns: a file of spconv-bench peaks, or "
                 "off [the file that peaks writes]")
      ->option_text("FILE")
      ->group("Timing");
  return
      [options](std::span<const Algorithm> algorithms) { return show_suite(*options, algorithms); };
}

}  // namespace spb::app
