// The run that --resume goes on with.
#pragma once

#include "case_runner.h"
#include "report/records/resume.h"
#include "suite_run.h"

namespace spb::app {

/// What is there of the run that --resume continues, whose run_id `columns` then get; nothing when
/// there is no such run. Fills the column config_hash. Throws Error (usage) when the run there is
/// of other options.
report::EarlierRun earlier_run(const SuiteRunOptions& options, const PlannedCases& plan,
                               Record& columns, Log& log);

}  // namespace spb::app
