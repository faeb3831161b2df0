// SPDX-License-Identifier: Apache-2.0
// The check that a status_detail is of.
#pragma once

#include <string>

namespace spb::mutants {

/// Without the numbers of the case: "exact small", "769 rows: exact small", "map",
/// "exact small: repeats".
std::string caught_by(const std::string& status_detail);

}  // namespace spb::mutants
