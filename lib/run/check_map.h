// SPDX-License-Identifier: Apache-2.0
// Does a plan work with the map of the reference? (verification.md, section 2)
#pragma once

#include <string>

#include "core/problem.h"
#include "engines/contender.h"
#include "run/case_data.h"
#include "run/verify_case.h"

namespace spb::run {

/// Sets the map's status; where it differs, the verdict's as well. `algorithm`: its name.
void check_map(const engines::Contender& contender, const std::string& algorithm,
               const Problem& problem, CaseData& data, const Report& report, Verdict& verdict);

}  // namespace spb::run
