// SPDX-License-Identifier: Apache-2.0
// --filter GLOB.
#pragma once

#include <string>
#include <vector>

#include "config/case_spec.h"

namespace spb::config {

/// The cases whose case_id matches the shell pattern `glob` ("*" also spans "/"). Throws Error
/// (nothing, exit code 5) naming the pattern and the nearest case when none does.
std::vector<CaseSpec> filter(const std::vector<CaseSpec>& cases, const std::string& glob);

}  // namespace spb::config
