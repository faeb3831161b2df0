// SPDX-License-Identifier: Apache-2.0
// Going on with a run that was killed or interrupted.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/record.h"

namespace spb::report {

/// The ended cases of a run.
struct EarlierRun {
  std::string run_id;           ///< empty: there is no run to go on with
  std::vector<Record> results;  ///< in the order of the file
  std::set<std::string> cases;  ///< names given to RecordFiles::end_case()
};

/// Finds the last run in the folder on the device of `columns` (gpu_uuid) and drops from the
/// folder's files what its unended cases left, so that RecordFiles can go on there.
/// `columns` are those of all rows. Throws Error (usage) naming both when config_hash or git_sha is
/// another one, before anything is changed; Error (runtime) when the files are damaged.
EarlierRun reopen_run(const std::filesystem::path& out_dir, const Record& columns);

}  // namespace spb::report
