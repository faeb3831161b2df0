// SPDX-License-Identifier: Apache-2.0
// results.csv: one tidy row per record, RFC 4180.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/record.h"
#include "report/records/append_file.h"

namespace spb::report {

/// Appends records as rows: the header once per file, every row flushed, UTF-8, LF, decimal point,
/// 9 significant digits, empty = not measured, booleans 0/1. Line ends inside a value become
/// blanks.
class CsvWriter {
 public:
  /// `path` may be "-". Throws Error (runtime) when it cannot be written or holds other columns.
  explicit CsvWriter(const std::filesystem::path& path);
  void append(const Record& record);
  const std::filesystem::path& path() const { return file_.path(); }

 private:
  AppendFile file_;
};

/// Replaces the file by one of these rows, at once. Throws as CsvWriter does.
void write_csv(const std::filesystem::path& path, std::span<const Record> records);

/// Hands out the cells of each row after the header, as many as the header has, with the header
/// and "PATH:ROW" for errors. Reads in pieces: a file need not fit into memory. Returns false when
/// the last row was cut off (has no line end), which is left out.
/// Throws Error (runtime) with path and row for what is no such file.
using CsvVisitor =
    std::function<void(const std::vector<std::string>& header,
                       const std::vector<std::string>& cells, const std::string& where)>;
bool visit_csv(const std::filesystem::path& path, const CsvVisitor& visit);

/// The record of such a row. Columns are found by name; unknown ones are ignored. Throws as
/// read_csv does.
Record record_of_cells(const std::vector<std::string>& header,
                       const std::vector<std::string>& cells, const std::string& where);

/// The rows of a file of CsvWriter; one that is cut off at its end is none.
/// Throws Error (runtime) with path and line for what is no such file, Error (usage) for a newer
/// schema.
std::vector<Record> read_csv(const std::filesystem::path& path);

/// A cell, quoted where it must be; line ends in it become blanks. A text that a spreadsheet would
/// run as a formula begins with ' in the file, which visit_csv takes away; numbers stay numbers.
std::string csv_cell(std::string text);

/// The header line and one row, each with its line end.
std::string csv_header();
std::string csv_row(const Record& record);

}  // namespace spb::report
