// SPDX-License-Identifier: Apache-2.0
// What a comparison knows of drift between processes, in words.
#pragma once

#include <string>
#include <vector>

#include "report/compare/compare.h"

namespace spb::report {

/// "unseen", "stated", "measured"
const char* name(ProcessDrift::Source source);

/// One line: what was seen, and how to see more.
std::string drift_text(const ProcessDrift& drift);

/// Of each device that has times on both sides; with several, each with its name.
std::vector<std::string> drift_lines(const Comparison& comparison);

}  // namespace spb::report
