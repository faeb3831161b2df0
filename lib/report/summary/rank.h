// SPDX-License-Identifier: Apache-2.0
// Which algorithm was fastest, among those proven right.
#pragma once

#include <span>

#include "core/record.h"

namespace spb::report {

/// Whether the row may be ranked: status ok, verify_status pass, and a time.
bool is_ranked(const Record& record);

/// The row's values of all key fields except `algorithm`, and its run: rows with equal text
/// compete. A weaker arithmetic_class is another competition.
std::string competition(const Record& record);

/// Fills `rank` (1 = smallest time_median_us, equal times share a rank) among the ranked rows of
/// each competition, and removes it from all other rows.
void fill_rank(std::span<Record> records);

}  // namespace spb::report
