// SPDX-License-Identifier: Apache-2.0
// Going on with a run that was killed or interrupted.
#pragma once

#include <filesystem>
#include <functional>
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

/// The SHA-256 of the file that a command reads under that name in records; empty: it reads none.
using DataHash = std::function<std::string(const std::string& dataset)>;

/// Finds the last run in the folder on the device of `columns` (gpu_uuid) and drops from the
/// folder's files what its unended cases left, so that RecordFiles can go on there.
/// `columns` are those of all rows. Throws Error (usage) naming both when config_hash, git_sha or
/// the data of an ended case are others, before anything is changed, and when the records are
/// compressed; Error (runtime) when the files are damaged.
EarlierRun reopen_run(const std::filesystem::path& out_dir, const Record& columns,
                      const DataHash& hash_of = {});

}  // namespace spb::report
