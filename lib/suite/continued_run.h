// SPDX-License-Identifier: Apache-2.0
// The run that --resume goes on with.
#pragma once

#include "report/records/resume.h"
#include "suite/case_runner.h"
#include "suite/suite_run.h"

namespace spb::suite {

/// What is there of the run that --resume continues, whose run_id `columns` then get; nothing when
/// there is no such run. Fills the column config_hash. Throws Error (usage) when the run there is
/// of other options or of data that have changed.
report::EarlierRun earlier_run(const SuiteRunOptions& options, const PlannedCases& plan,
                               Record& columns, Log& log);

}  // namespace spb::suite
