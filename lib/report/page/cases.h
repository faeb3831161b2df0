// SPDX-License-Identifier: Apache-2.0
// The large table of the page: a row per case, with filters.
#pragma once

#include <string>

#include "report/summary/cases.h"

namespace spb::report {

/// Filters, hidden until the page's script runs, and the table of all cases of all devices; each
/// row folds its repro line and details.
std::string cases_section(const CaseSet& set);

}  // namespace spb::report
