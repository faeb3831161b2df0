// SPDX-License-Identifier: Apache-2.0
// All planned cases, one after the other: what `run` and `verify` share.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "core/error.h"
#include "run/run_options.h"
#include "suite/case_selection.h"
#include "suite/observer.h"

namespace spb::suite {

struct SuiteRunOptions {
  std::string command;  ///< "run" or "verify", for the repro lines
  CaseOptions cases;
  run::RunOptions run;
  std::string verify_modes = "exact,fp";
  std::string references;  ///< "host", "both" or "device"; empty: as the device has it
  std::string shapes;  ///< small problems beside the data, "on" or "off"; empty: of `verify` alone
  bool no_verify = false;
  std::string out;           ///< folder; empty: no records
  std::string device = "0";  ///< index, indices or "all"
  bool isolate = false, no_isolate = false;
  int kernel_arch = 0;  ///< highest compute capability of kernels, times ten; 0: the device's
  std::map<std::string, std::string> knobs;  ///< values by name; empty: the plans' choice
  std::string runs;          ///< layers that share maps, with commas between: times steps of each
  double timeout_s = 0;      ///< of one case; 0: none
  int worker = -1;           ///< device of a child that runs cases for its parent; -1: no child
  std::string budget;        ///< time after which no case begins, as in "10m"; empty: none
  std::string retry;         ///< statuses whose cases --resume runs again, with commas between
  std::string peaks;         ///< file, "off", or empty for the default file
  std::string tuning;        ///< the same, of tuned choices
  std::string plugin_files;  ///< libraries with further algorithms, with commas between
  std::string plugins;       ///< what they say they are, for the record
  std::string dense;     ///< cases held against a dense convolution: "on", "off"; empty or "auto"
  bool samples = false;  ///< write samples.csv
  bool fail_fast = false;
  std::string lock_clocks;      ///< "base" or MHz; empty: free
  bool require_lock = false;    ///< an error instead of a warning where they cannot be locked
  bool rerun_suspects = false;  ///< measure doubtful cases again
  bool dry_run = false;
  bool resume = false;  ///< go on with the run in `out`
  std::string shard;    ///< "I/N": a part of the cases, into a folder of its own in `out`
};

/// Plans, runs and records; returns the exit code by precedence. A worker (isolated_runner.h)
/// serves its parent instead, a dry run only estimates.
ExitCode run_suite(SuiteRunOptions options, std::span<const Algorithm> algorithms,
                   Observer& observer);

}  // namespace spb::suite
