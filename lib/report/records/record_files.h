// SPDX-License-Identifier: Apache-2.0
// The files of one run in one folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/record.h"
#include "report/records/csv.h"
#include "report/records/jsonl.h"

namespace spb::report {

/// Appends to records.jsonl and results.csv of a folder. Every row is on disk when add() returns.
class RecordFiles {
 public:
  /// Creates the folder and writes the context line. Throws Error (runtime) when the folder cannot
  /// be written, before any work is lost.
  RecordFiles(const std::filesystem::path& out_dir, const Record& context);

  /// What a shard of a sweep measures before its cases.
  void anchor(const Record& anchor) { jsonl_.append("anchor", anchor); }

  /// Throws std::logic_error for names or types that are no columns, Error (runtime) when the
  /// write fails. A missing schema_version is filled in.
  void add(Record record);

  /// All rows of the case are added: a run that goes on here will not repeat it. `name` tells cases
  /// of the run apart.
  void end_case(const std::string& name);

  /// Writes the summary line, then replaces results.csv by the rows of records.jsonl with `rank`,
  /// which is known only now.
  void finish(const Record& summary);

  /// records.jsonl, results.csv.
  std::vector<std::filesystem::path> paths() const { return {jsonl_.path(), csv_.path()}; }

 private:
  JsonlWriter jsonl_;
  CsvWriter csv_;
};

}  // namespace spb::report
