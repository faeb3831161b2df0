// SPDX-License-Identifier: Apache-2.0
// The raw samples behind the rows of a run.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>

#include "core/record.h"
#include "report/compare/bootstrap.h"

namespace spb::report {

/// Names a row over all files: its run_id and case_id.
std::string sample_key(const Record& row);

/// Samples of the rows named in `keys`, by sample_key(), from the samples.csv (or .csv.xz) beside
/// each of `files`; those of other rows are skipped while reading. Throttled samples are left out
/// unless a row has no others. No such file is no samples. Throws Error (runtime) for a damaged
/// one.
std::map<std::string, Rounds> read_samples(std::span<const std::filesystem::path> files,
                                           const std::set<std::string>& keys);

}  // namespace spb::report
