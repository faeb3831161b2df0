// SPDX-License-Identifier: Apache-2.0
// The whole program, as a function of its algorithm table.
#pragma once

#include <span>

#include "algorithms/algorithm.h"

namespace spb {

/// Parses the command line, runs the command and returns the process exit code. Every error has
/// been printed as one line on stderr.
int application(int argc, char** argv, std::span<const Algorithm> algorithms);

}  // namespace spb
