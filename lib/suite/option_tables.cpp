// SPDX-License-Identifier: Apache-2.0
// The rows of run_options() of options.h.
#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/algorithm.h"
#include "suite/checks.h"
#include "suite/options.h"
#include "suite/shard.h"

namespace spb::suite {
namespace {

using enum Changes;
using S = SuiteRunOptions;

constexpr const char* kVerification = "Verification";
constexpr const char* kOutput = "Output";
constexpr const char* kExecution = "Execution";
constexpr const char* kTiming = "Timing";

/// `verify` has none: it times nothing and writes no more than its records.
RunOption of_run(RunOption row) {
  row.of_run = true;
  return row;
}

/// Set by another option, stands here for the hash.
RunOption hashed_alone(const char* key, ColumnName column, std::function<Value(S&)> value) {
  return {nullptr, std::move(value), rows, key, {column}, "", "", ""};
}

RunOption hashed_set(RunOption row) {
  row.hashed_set = true;
  return row;
}

std::string on_or_off(const std::string& word) {
  return word == "on" || word == "off" ? "" : "\"" + word + "\" is unknown; use on or off";
}

RunOption in_seconds(RunOption row) {
  row.is_duration = true;
  return row;
}

RunOption needs(const char* other, RunOption row) {
  row.needs = other;
  return row;
}

RunOption excludes(const char* other, RunOption row) {
  row.excludes = other;
  return row;
}

std::span<const RunOption> before_choices() {
  static const RunOption kRows[] = {
      {"--verify-modes",
       [](S& s) { return Value(&s.verify_modes); },
       rows,
       nullptr,
       {columns::verify_modes},
       kVerification,
       "MODES",
       "exact, fp or both"},
      hashed_alone("verify_exact", columns::verify_modes,
                   [](S& s) { return Value(&s.run.verify_exact); }),
      hashed_alone("verify_fp", columns::verify_modes,
                   [](S& s) { return Value(&s.run.verify_fp); }),
      {"--verify-macs",
       [](S& s) { return Value(&s.run.verify_macs); },
       rows,
       "verify_macs",
       {columns::verified_fraction},
       kVerification,
       "N",
       "the host compares a sample beyond this many multiplications [2e11]",
       up_to(1e18)},
      hashed_set(
          {"--references",
           [](S& s) { return Value(&s.references); },
           rows,
           "references",
           {columns::verify_modes},
           kVerification,
           "WORD",
           "who says what is right: host, both, where the device judges every element of what the "
           "host only samples, or device, alone where it can [both; host without a GPU]",
           one_of({"host", "both", "device"})}),
      hashed_set(
          {"--shapes",
           [](S& s) { return Value(&s.shapes); },
           rows,
           "shapes",
           {columns::verify_modes},
           kVerification,
           "WORD",
           "small problems of each case's layer, with rows and channels that end anywhere in "
           "a tile, and the identity of its directions: on or off [on for verify]",
           on_or_off}),
      of_run({"--no-verify",
              [](S& s) { return Value(&s.no_verify); },
              rows,
              nullptr,
              {columns::verify_status},
              kVerification,
              "",
              "time only; rows are never ranked"}),

      hashed_alone("time", columns::phase, [](S& s) { return Value(&s.run.time); }),
      of_run({"--time-anyway",
              [](S& s) { return Value(&s.run.time_anyway); },
              rows,
              "time_anyway",
              {columns::phase},
              kTiming,
              "",
              "time also what failed verification; never ranked"}),
      of_run(in_seconds({"--max-time",
                         [](S& s) { return Value(&s.run.timing.max_time_s); },
                         rows,
                         "max_time_s",
                         {columns::samples},
                         kTiming,
                         "TIME",
                         "limit of timing one case, as 0.5, 500ms or 2s",
                         duration})),
      of_run({"--min-samples",
              [](S& s) { return Value(&s.run.timing.min_samples); },
              rows,
              "min_samples",
              {columns::samples},
              kTiming,
              "N",
              "samples per phase at least; a third of it when the time is up",
              above_zero}),
      of_run(in_seconds({"--settle",
                         [](S& s) { return Value(&s.run.timing.settle_s); },
                         rows,
                         "settle_s",
                         {columns::sm_clock_mhz},
                         kTiming,
                         "TIME",
                         "wait this long at most for the device's clock to settle",
                         duration})),
      of_run({"--rest",
              [](S& s) { return Value(&s.run.timing.rest_rel); },
              rows,
              "rest_rel",
              {columns::clock_policy},
              kTiming,
              "FACTOR",
              "pause after each sample, in multiples of its time: a device at its power limit then "
              "keeps the clock of short runs (recorded in clock_policy) [0]",
              up_to(100)}),
      of_run({"--rounds",
              [](S& s) { return Value(&s.run.timing.rounds); },
              rows,
              "rounds",
              {columns::rounds},
              kTiming,
              "N",
              "visit the algorithms of a problem this often, in random order",
              whole_between(1, 1000)}),
      of_run(
          {"--lock-clocks",
           [](S& s) { return Value(&s.lock_clocks); },
           rows,
           "lock_clocks",
           {columns::clock_policy},
           kTiming,
           "base|MHZ",
           "hold the device's clock while the suite runs, at base or at so many MHz; needs root, "
           "else warns",
           base_or_mhz}),
      of_run(needs("--lock-clocks", {"--require-lock",
                                     [](S& s) { return Value(&s.require_lock); },
                                     nothing,
                                     nullptr,
                                     {},
                                     kTiming,
                                     "",
                                     "fail where --lock-clocks cannot"})),
      of_run({"--rerun-suspects",
              [](S& s) { return Value(&s.rerun_suspects); },
              rows,
              "rerun_suspects",
              {columns::rounds},
              kTiming,
              "",
              "measure a case again, twice at most, when it was throttled, its clock fell, or its "
              "interval is too wide to show 3 %"}),
      of_run({"--runs",
              [](S& s) { return Value(&s.runs); },
              rows,
              nullptr,
              {columns::layers},
              kTiming,
              "N,N",
              "say what to use where so many runs share maps and plan [1,4]; where given, training "
              "steps of so many layers are timed, too",
              layer_counts}),
      of_run({"--llc-bytes",
              [](S& s) { return Value(&s.run.timing.llc_bytes); },
              rows,
              "llc_bytes",
              {columns::cache},
              kTiming,
              "N",
              "size of the last cache that cold timing empties [the device's]",
              whole_between(1, int64_t{1} << 40)}),
      of_run(
          {"--peaks",
           [](S& s) { return Value(&s.peaks); },
           rows,
           nullptr,
           {columns::roofline_pct},
           kTiming,
           "FILE",
           "limits of the device, for the roofline columns: a file of spconv-bench peaks, or off "
           "[the file that peaks writes]"}),
      of_run({"--dense",
              [](S& s) { return Value(&s.dense); },
              rows,
              nullptr,
              {columns::dense_conv_us},
              kTiming,
              "WORD",
              "time the dense convolution of all cells of the box beside each case, by cuDNN: on, "
              "off or auto, of boxes without an empty cell [auto]",
              one_of({"on", "off", "auto"})}),

      {"--device",
       [](S& s) { return Value(&s.device); },
       nothing,
       nullptr,
       {columns::gpu_name},
       kExecution,
       "N",
       "index of the device, or all: see list devices [0]",
       device_index},
      {"--isolate",
       [](S& s) { return Value(&s.isolate); },
       nothing,
       nullptr,
       {},
       kExecution,
       "",
       "run cases in a child process, so that a crash costs its own case only; the default on "
       "GPUs"},
      excludes("--isolate", {"--no-isolate",
                             [](S& s) { return Value(&s.no_isolate); },
                             nothing,
                             nullptr,
                             {},
                             kExecution,
                             "",
                             "run cases in this process"}),
      {"--budget",
       [](S& s) { return Value(&s.budget); },
       nothing,
       nullptr,
       {},
       kExecution,
       "TIME",
       "end after this time, 90s, 10m or 2h: cases not yet run become rows \"skipped\"; those in "
       "rounds keep the rounds they have [none]",
       duration},
      excludes(
          "--no-isolate",
          in_seconds({"--timeout",
                      [](S& s) { return Value(&s.timeout_s); },
                      nothing,
                      nullptr,
                      {},
                      kExecution,
                      "TIME",
                      "end a case after this time, 90s or 10m; isolates [2h in a child process]",
                      duration})),
      {"--dry-run",
       [](S& s) { return Value(&s.dry_run); },
       nothing,
       nullptr,
       {},
       kExecution,
       "",
       "print cases, memory and time at most, run nothing"},
      {"--fail-fast",
       [](S& s) { return Value(&s.fail_fast); },
       nothing,
       nullptr,
       {},
       kExecution,
       "",
       "skip what follows the first failed case"},
      {"--kernel-arch",
       [](S& s) { return Value(&s.kernel_arch); },
       rows,
       "kernel_arch",
       {columns::kernel},
       kExecution,
       "N",
       "take only kernels that a device of this compute capability has: 80 leaves out those of "
       "Hopper [the device's]",
       whole_between(75, 999)},
  };

  return kRows;
}

std::span<const RunOption> after_choices() {
  static const RunOption kRows[] = {
      {"--tuning",
       [](S& s) { return Value(&s.tuning); },
       rows,
       "tuning",
       {columns::variant_source},
       kExecution,
       "FILE",
       "choices of kernels: a file of spconv-bench tune, or off [the file that tune writes]"},

      {"--plugin",
       [](S& s) { return Value(&s.plugin_files); },
       rows,
       nullptr,
       {columns::algorithm},
       kExecution,
       "FILE,FILE",
       "shared libraries with further algorithms, NAME:ALGORITHM: see docs/plugins.md"},
      hashed_set(
          hashed_alone("plugins", columns::algorithm, [](S& s) { return Value(&s.plugins); })),

      {"-o,--out",
       [](S& s) { return Value(&s.out); },
       nothing,
       nullptr,
       {},
       kOutput,
       "DIR",
       "folder for records.jsonl and results.csv"},
      needs("--out", {"--shard",
                      [](S& s) { return Value(&s.shard); },
                      nothing,
                      nullptr,
                      {},
                      kExecution,
                      "I/N",
                      "run part I, from 0, of N parts of the cases, into the folder shard-I-of-N "
                      "in --out: see spconv-bench merge",
                      shard_fault}),
      of_run(needs("--out", {"--resume",
                             [](S& s) { return Value(&s.resume); },
                             nothing,
                             nullptr,
                             {},
                             kOutput,
                             "",
                             "go on with the killed or interrupted run in --out: what is there is "
                             "not repeated"})),
      of_run(needs("--resume",
                   {"--retry",
                    [](S& s) { return Value(&s.retry); },
                    nothing,
                    nullptr,
                    {},
                    kOutput,
                    "STATUS",
                    "with --resume: run cases with these statuses again, as in error,timeout"})),
      of_run({"--samples",
              [](S& s) { return Value(&s.samples); },
              nothing,
              nullptr,
              {},
              kOutput,
              "",
              "write the raw samples into samples.csv"}),
  };

  return kRows;
}

}  // namespace

// In the order of the line that repeats a row.
std::span<const RunOption> run_options() {
  static const std::vector<RunOption> kRows = [] {
    std::vector<RunOption> all(before_choices().begin(), before_choices().end());
    std::ranges::transform(all_knobs(), std::back_inserter(all), option_of);
    all.insert(all.end(), after_choices().begin(), after_choices().end());
    return all;
  }();
  return kRows;
}

}  // namespace spb::suite
