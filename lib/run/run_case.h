// SPDX-License-Identifier: Apache-2.0
// One case from problem to record: plan, fill, run and verify, time, account.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/sampling.h"
#include "core/problem.h"
#include "core/record.h"
#include "engines/contender.h"
#include "run/case_data.h"
#include "run/run_options.h"

namespace spb::run {

/// The rows of one case, each with the samples behind its time.
struct CaseRows {
  std::vector<Record> rows;                         ///< at least one
  std::vector<std::vector<bench::Sample>> samples;  ///< as many as rows; empty for one untimed
};

/// Runs one case of one algorithm. Never throws for a failing case: the record's status says what
/// happened (ok, incorrect, mistrusted, unsupported, oom, error). One record per timed phase, the
/// kernel's first (measurement.md, section 2), exactly one when nothing was timed. `report`
/// receives the lines of the mismatch report of a failed verification, and warnings.
CaseRows run_case(const engines::Implementation& algorithm, const Problem& problem, CaseData& data,
                  const RunOptions& options, const std::function<void(const std::string&)>& report);

}  // namespace spb::run
