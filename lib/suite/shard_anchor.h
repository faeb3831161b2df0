// SPDX-License-Identifier: Apache-2.0
// What each shard of a sweep measures first: one small problem, the same on every device. How far
// these times lie apart says what "the same model of GPU" is worth.
#pragma once

#include <span>

#include "algorithms/algorithm.h"
#include "config/case_spec.h"
#include "core/record.h"

namespace spb::suite {

/// Of the first algorithm. On the host vendor the problem is one that costs little.
config::CaseSpec anchor_case(std::span<const Algorithm> algorithms);

/// The line of records.jsonl: what the hot kernel's row says of time and device. Without such a
/// row, the status of the first and why.
Record anchor_record(const config::CaseSpec& anchor, std::span<const Record> rows);

}  // namespace spb::suite
