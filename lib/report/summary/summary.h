// SPDX-License-Identifier: Apache-2.0
// summary.md: what a reviewer reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "report/records/read_records.h"
#include "report/summary/cases.h"

namespace spb::report {

/// Runs, verdicts, what to use where so many `runs` share a plan, the fastest kernels, times by
/// algorithm and workload, footnotes. Made of the records alone. `set` is collect_cases() of the
/// rows of `records`.
std::string summary(const RecordSet& records, const CaseSet& set, std::span<const int64_t> runs);

/// "NVIDIA H200" or "3 devices".
std::string report_title(const CaseSet& set);

/// What is equal in all cases, in one line.
std::string common_text(const CaseSet& set);

/// The sentences that tables do not say: runs that were cut off, cases measured again.
std::vector<std::string> general_notes(const RecordSet& records, const CaseSet& set);

inline constexpr const char* kHostHeading =
    "Host timing: for testing the tool, not ranked against a GPU's.";

}  // namespace spb::report
