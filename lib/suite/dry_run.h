// SPDX-License-Identifier: Apache-2.0
// --dry-run: what a run would do, without doing it.
#pragma once

#include <span>

#include "config/case_spec.h"
#include "run/run_options.h"
#include "suite/load.h"
#include "suite/observer.h"

namespace spb::suite {

/// Tells the observer of each case; loads the data for it.
void estimate(std::span<const config::CaseSpec> cases, const ReadSettings& reading,
              const run::RunOptions& run, Observer& observer);

}  // namespace spb::suite
