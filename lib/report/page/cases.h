// SPDX-License-Identifier: Apache-2.0
// The large table of the page: a row per case.
#pragma once

#include <string>

#include "report/summary/cases.h"

namespace spb::report {

/// The table of all cases of all devices; each row folds its repro line and details.
std::string cases_section(const CaseSet& set);

}  // namespace spb::report
