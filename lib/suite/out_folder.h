// SPDX-License-Identifier: Apache-2.0
// The folder that a run writes: one process at a time, and data of one version.
#pragma once

#include <span>
#include <string>

#include "config/case_spec.h"
#include "report/records/data_hashes.h"
#include "report/records/file_lock.h"
#include "suite/observer.h"
#include "suite/suite_run.h"

namespace spb::suite {

/// Holds options.out until it ends. Throws Error (usage) naming the process that does already, and
/// when the folder holds a run that options do not go on with.
class OutFolder {
 public:
  OutFolder(const SuiteRunOptions& options, Log& log);

 private:
  report::FileLock lock_;
};

/// Throws Error (usage) when two files of the cases have one name in records, and are not the same.
void check_names(std::span<const config::CaseSpec> cases);

/// Throws Error (runtime) when a row is of other data than those before it: the file was changed
/// while the run went on. Takes the rows in.
void check_unchanged(std::span<const Record> rows, report::DataHashes& hashes);

}  // namespace spb::suite
