// SPDX-License-Identifier: Apache-2.0
// One box and lists that filter every table of the page.
#pragma once

#include <string>

#include "report/summary/cases.h"

namespace spb::report {

/// The form, hidden until the page's script runs. A list with one value to choose is left out.
std::string filters_html(const CaseSet& set);

}  // namespace spb::report
