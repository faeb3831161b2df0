// SPDX-License-Identifier: Apache-2.0
// Records back from the files of runs, for compare and report.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/record.h"

namespace spb::report {

/// What files hold, in their order.
struct RecordSet {
  std::vector<Record> contexts;   ///< one per run, in a resumed run several; results.csv has none
  std::vector<Record> summaries;  ///< of runs that came to their end
  std::vector<Record> rows;
  std::vector<std::filesystem::path> files;
  std::vector<std::string> notes;  ///< one line each: what was left out, as a last line cut off
};

/// The files that read_records() would read of a folder or a file; none where it holds no records.
std::vector<std::filesystem::path> files_of_records(const std::filesystem::path& path);

/// Reads a file (records.jsonl or results.csv under any name) or a folder: its records.jsonl, or
/// those of all folders in it, by name; results.csv likewise where there is no records.jsonl. Each
/// may be compressed by xz, with ".xz" behind its name in a folder. Names that are no columns are
/// ignored. Throws Error (runtime) when `path` is not there or holds no such file, and with path
/// and line for damage other than a last line cut off; Error (usage) for a file both plain and
/// compressed, of a newer major, or with rows of two versions of a data set.
RecordSet read_records(const std::filesystem::path& path);

/// The row's values of all key columns but those named: rows of two sets match when these are
/// equal.
std::string row_key(const Record& row, std::initializer_list<ColumnName> without = {});

}  // namespace spb::report
