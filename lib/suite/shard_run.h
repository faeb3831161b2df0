// SPDX-License-Identifier: Apache-2.0
// What --shard makes of a run.
#pragma once

#include "core/record.h"
#include "suite/case_runner.h"
#include "suite/suite_run.h"

namespace spb::suite {

/// Leaves of the plan the cases of options.shard, with an anchor where something is timed, and
/// moves options.out to the shard's folder. Throws as plan_shard() and read_shard() do.
void take_shard(SuiteRunOptions& options, PlannedCases& plan, Log& log);

/// Says in the context line which shard it is, and leaves the plan beside it, for `merge`. Throws
/// Error (runtime) when the plan cannot be written.
void note_shard(const ShardedPlan& plan, const std::string& out, Record& context);

}  // namespace spb::suite
