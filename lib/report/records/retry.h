// SPDX-License-Identifier: Apache-2.0
// Reopening ended cases of a run.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace spb::report {

/// Drops from records.jsonl in `out_dir` the cases of runs on the device `gpu_uuid` that have a row
/// of one of these statuses: for reopen_run() they have never ended. Returns the copy it leaves of
/// the file as it was, or an empty path when there was nothing to drop. Throws Error (runtime) when
/// the file is damaged.
std::filesystem::path drop_cases(const std::filesystem::path& out_dir, const std::string& gpu_uuid,
                                 const std::set<std::string>& statuses);

}  // namespace spb::report
