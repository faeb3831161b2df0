// SPDX-License-Identifier: Apache-2.0
// The fastest right choice for a problem (docs/algorithms.md, section 9).
//
// Every candidate is timed; from the fastest on they are checked as `run` checks a case, until one
// is right and all within 10 % of it are checked, too. These finalists and the algorithm's own
// choice are timed again, in turns. The own choice wins unless another one is faster by over 1 %.
// Where runs are counted, a candidate's time is that of a run and a share of its plan.
#pragma once

#include "run/case_data.h"
#include "run/run_options.h"
#include "run/verify_case.h"
#include "tuning/entry.h"

namespace spb::tuning {

struct TuneOptions {
  ChoiceRange range = ChoiceRange::likely;
  /// Of `all`, only what has come near to winning in one of these entries.
  const std::vector<Entry>* evidence = nullptr;
  int64_t runs = 0;        ///< that a plan serves; 0: plans do not count
  run::RunOptions checks;  ///< how candidates are verified, with which seed
};

/// Tunes one problem. A candidate that fails is a trial with its reason, never an exception, as
/// long as the device answers. `report` receives the lines of mismatch reports. The entry's
/// machine, data set and time are left to the caller. Throws Error for data that no plan takes, and
/// when both modes of verification are off: unchecked choices never win.
Entry tune(const Algorithm& algorithm, const Problem& problem, run::CaseData& data,
           const TuneOptions& options, const run::Report& report);

}  // namespace spb::tuning
