// SPDX-License-Identifier: Apache-2.0
// Options in words as what is done with every case.
#pragma once

#include "suite/suite_run.h"

namespace spb::suite {

/// Fills options.run with what --verify-modes, --shapes, --references, --dense and --runs say.
/// Throws Error (usage) naming the option.
void set_run_options(SuiteRunOptions& options);

}  // namespace spb::suite
