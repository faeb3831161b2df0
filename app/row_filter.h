// SPDX-License-Identifier: Apache-2.0
// --filter of compare and history: rows by their names.
#pragma once

#include <string>

#include "core/record.h"

namespace spb::app {

/// Whether the glob matches the row's case_id; an empty one matches all. A case that failed has one
/// row without a phase, which stands for the rows of all of them.
bool is_wanted(const std::string& filter, const Record& row);

}  // namespace spb::app
