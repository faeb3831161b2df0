// SPDX-License-Identifier: Apache-2.0
// What the outcomes of cases make of the program's exit code.
#pragma once

#include "core/error.h"
#include "core/record.h"

namespace spb::suite {

/// Of two that apply.
ExitCode worse(ExitCode a, ExitCode b);

/// Of a row by its status.
ExitCode code_of(const Record& row);

}  // namespace spb::suite
