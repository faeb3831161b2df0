// SPDX-License-Identifier: Apache-2.0
// records.jsonl, the source of truth: per run a context line, for each case its result lines and a
// case_end line, at last a summary line. A shard of a sweep has an anchor line, too, and merged
// shards a merge line at their end. What a run says once, in its context line, its results
// need not repeat: one without schema_version has the columns that it leaves out from the context
// line above it, and null where they are not measured. One with schema_version says all itself.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/record.h"
#include "report/records/append_file.h"

namespace spb::report {

/// The line of one result, with its line end: names and order of fields(), what was not measured
/// or is not finite left out, and what `context` of the same run says equally. Throws
/// std::logic_error as check() does.
std::string result_line(const Record& result, const Record& context = {});
/// The result of such a line; names that are no columns are ignored. Throws Error (runtime) naming
/// `where` when it is damaged or leaves out what `context` is not there to say, Error (usage) for a
/// newer schema.
Record parse_result(const std::string& line, const std::string& where, const Record& context = {});

/// One JSON object a line with `"type": "context" | "result" | "case_end" | "summary" | ...`,
/// flushed line by line. Reals keep all their digits.
class JsonlWriter {
 public:
  /// Opens the file (may be "-") and writes the context line. Results have the columns of fields(),
  /// all other lines free names.
  JsonlWriter(const std::filesystem::path& path, const Record& context);
  void append(const char* type, const Record& line);  ///< anchor or merge
  void append(const Record& result);
  void end_case(const std::string& name);
  void finish(const Record& summary);
  void sync() { file_.sync(); }
  const std::filesystem::path& path() const { return file_.path(); }

 private:
  AppendFile file_;
  Record context_;
};

/// One line of such a file.
struct JsonlLine {
  std::string type;   ///< context, result, case_end, summary, anchor, merge, or a newer one's
  Record record;      ///< its other names; of a result its columns, the context's put back
  std::string where;  ///< "PATH:LINE", for errors
  size_t begin = 0, end = 0;  ///< its bytes in the file
};

/// Reads line by line: a file need not fit into memory. Returns false when the last line was cut
/// off, which is left out. Throws Error (runtime) with path and line for any other damage, Error
/// (usage) for a newer schema.
bool visit_jsonl(const std::filesystem::path& path, const std::function<void(JsonlLine&)>& visit);

/// What one run wrote. A run without summary was killed. One that went on with an earlier run has
/// the same run_id.
struct RunRecords {
  Record context;
  std::vector<Record> results;
  std::optional<Record> summary;
  std::vector<std::string> ended_cases;  ///< names given to end_case()
  size_t ended_results = 0;  ///< the first of `results`; others are of a case that was cut off
  size_t open_begin = 0, open_end = 0;  ///< bytes of the file that hold those others
};

struct JsonlFile {
  std::vector<RunRecords> runs;
  bool truncated = false;  ///< the last line was cut off and is left out
};

/// The runs of a file of JsonlWriter. Throws as visit_jsonl does, and Error (runtime) when the
/// first line is no context.
JsonlFile read_jsonl(const std::filesystem::path& path);

}  // namespace spb::report
