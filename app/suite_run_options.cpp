#include "suite_run_options.h"

#include <CLI/CLI.hpp>

#include "checks.h"
#include "maps/maps.h"
#include "progress.h"
#include "suite/isolated_runner.h"

namespace spb::app {

void add_suite_run_options(CLI::App& app, SuiteCommandOptions& command) {
  suite::SuiteRunOptions& options = command.run;
  add_case_options(app, options.cases, CaseScope::cases);
  app.add_option("--verify-modes", options.verify_modes, "exact, fp or both")
      ->option_text("exact,fp")
      ->group("Verification");
  app.add_option("--verify-macs", options.run.verify_macs,
                 "compare a sample and checksums beyond this many multiplications [2e11]")
      ->option_text("N")
      ->check(up_to(1e18))
      ->group("Verification");
  app.add_option("-o,--out", options.out, "folder for records.jsonl and results.csv")
      ->option_text("DIR")
      ->group("Output");
  app.add_option("--device", options.device, "index of the device, or all: see list devices [0]")
      ->option_text("N")
      ->check(device_index)
      ->group("Execution");
  app.add_option("--kernel", options.kernel,
                 "tile kernel of list kernels, instead of the algorithms' choice")
      ->option_text("NAME")
      ->group("Execution");
  app.add_option("--kernel-arch", options.kernel_arch,
                 "take only kernels that a device of this compute capability has: 80 leaves out "
                 "those of Hopper [the device's]")
      ->option_text("N")
      ->check(whole_between(75, 999))
      ->group("Execution");
  app.add_option("--tile-order", options.tile_order,
                 "what masked algorithms sort the rows of their tiles by, instead of their choice: "
                 "none, plain, gray, window, greedy, z")
      ->option_text("NAME")
      ->check(one_of(maps::row_order_names()))
      ->group("Execution");
  app.add_option("--reduction", options.reduction,
                 "how split plans of fprop and dgrad add up: ordered, so that repeats are equal to "
                 "the bit, or atomic, in the order of arrival, which few rows gain by [ordered]")
      ->option_text("NAME")
      ->check(one_of({"ordered", "atomic"}))
      ->group("Execution");
  app.add_option("--tuning", options.tuning,
                 "choices of kernels: a file of spconv-bench tune, or off [the file that tune "
                 "writes]")
      ->option_text("FILE")
      ->group("Execution");
  app.add_flag("--isolate", options.isolate,
               "run cases in a child process, so that a crash costs its own case only; the default "
               "on GPUs")
      ->group("Execution");
  app.add_flag("--no-isolate", options.no_isolate, "run cases in this process")
      ->excludes("--isolate")
      ->group("Execution");
  app.add_option("--budget", options.budget,
                 "end after this time, 90s, 10m or 2h: cases not yet run become rows \"skipped\"; "
                 "those in rounds keep the rounds they have")
      ->option_text("TIME")
      ->check(duration)
      ->group("Execution");
  app.add_option("--timeout", options.timeout_s, "end a case after this many seconds; isolates")
      ->option_text("S")
      ->check(above_zero)
      ->excludes("--no-isolate")
      ->group("Execution");
  app.add_option(suite::kWorkerOption, options.worker)
      ->group("");  // not shown: see isolated_runner.h
  app.add_flag("--dry-run", options.dry_run, "print cases and memory estimates, run nothing")
      ->group("Execution");
  app.add_flag("--fail-fast", options.fail_fast, "skip what follows the first failed case")
      ->group("Execution");
  add_console_options(app, command.console);
}

ExitCode show_suite(const SuiteCommandOptions& options, std::span<const Algorithm> algorithms) {
  options.console.apply();
  Progress progress;
  const ExitCode code = suite::run_suite(options.run, algorithms, progress);
  if (options.run.dry_run && options.run.worker < 0) progress.print_plan_total();
  return code;
}

}  // namespace spb::app
