// SPDX-License-Identifier: Apache-2.0
#include "report/records/read_records.h"

#include <algorithm>
#include <span>

#include "core/error.h"
#include "core/paths.h"
#include "report/compare/match.h"
#include "report/records/csv.h"
#include "report/records/data_hashes.h"
#include "report/records/fields.h"
#include "report/records/jsonl.h"
#include "report/records/open_input.h"

namespace spb::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFix =
    "name a folder of run --out, its records.jsonl (or .jsonl.xz) or results.csv";

/// The file of that name in a folder, plain or compressed by xz.
fs::path find_file(const fs::path& folder, const std::string& name) {
  const fs::path plain = folder / name, compressed = folder / (name + ".xz");
  const bool is_plain = is_file(plain), is_compressed = is_file(compressed);
  if (is_plain && is_compressed)
    throw usage_error(folder.string(), "holds " + name + " and " + name + ".xz",
                      "name the one that counts");
  return is_plain ? plain : is_compressed ? compressed : fs::path();
}

/// The file of that name in a folder, or those in the folders in it.
void find_files(const fs::path& folder, const char* name, std::vector<fs::path>& files) {
  if (const fs::path file = find_file(folder, name); !file.empty()) {
    files.push_back(file);
    return;
  }
  for (const fs::path& inner : folders_of(folder)) find_files(inner, name, files);
}

bool read_jsonl_into(const fs::path& path, RecordSet& set) {
  return visit_jsonl(path, [&](JsonlLine& line) {
    if (line.type == "context") set.contexts.push_back(std::move(line.record));
    if (line.type == "summary") set.summaries.push_back(std::move(line.record));
    if (line.type == "result") set.rows.push_back(std::move(line.record));
  });
}

bool read_csv_into(const fs::path& path, RecordSet& set) {
  return visit_csv(path, [&](const auto& header, const auto& cells, const std::string& where) {
    set.rows.push_back(record_of_cells(header, cells, where));
  });
}

void check_times(std::span<const Record> rows, const fs::path& path) {
  for (const Record& row : rows) {
    const bool is_timed = is_good(row) && !row.text(columns::phase).empty();
    if (is_timed && !(row.number(columns::time_median_us).value_or(0) > 0))
      throw input_error(path.string(),
                        row.text(columns::case_id) + " is " + row.text(columns::status) +
                            " without a time above 0",
                        "measure it again");
  }
}

void check_data(std::span<const Record> rows, const fs::path& path) {
  DataHashes hashes;
  for (const Record& row : rows)
    if (const std::string two = hashes.add(row); !two.empty())
      throw usage_error(path.string(), "holds rows of " + two,
                        "run them again, each version into a folder of its own");
}

void read_file(const fs::path& path, RecordSet& set) {
  const size_t earlier = set.rows.size();
  // A killed run may have left a file without a line.
  const fs::path name = path.extension() == ".xz" ? path.stem() : path;
  const bool is_jsonl = name.extension() == ".jsonl" || open_input(path)->peek() == '{';
  const bool whole = is_jsonl ? read_jsonl_into(path, set) : read_csv_into(path, set);
  check_times(std::span(set.rows).subspan(earlier), path);
  check_data(std::span(set.rows).subspan(earlier), path);
  if (!whole) set.notes.push_back(path.string() + ": its last line is cut off and left out");
  set.files.push_back(path);
}

}  // namespace

std::vector<fs::path> files_of_records(const fs::path& path) {
  std::error_code error;
  std::vector<fs::path> files;
  if (fs::is_directory(path, error)) {
    find_files(path, "records.jsonl", files);
    // A report of these records leaves a results.csv of the same rows above or beside them.
    if (files.empty()) find_files(path, "results.csv", files);
  } else if (fs::is_regular_file(path, error)) {  // of a device the end may never come
    files.push_back(path);
  }
  return files;
}

RecordSet read_records(const fs::path& path) {
  std::error_code error;
  const std::vector<fs::path> files = files_of_records(path);
  if (files.empty())
    throw input_error(path.string(),
                      fs::exists(path, error) ? "holds no records" : "does not exist", kFix);
  RecordSet set;
  for (const fs::path& file : files) read_file(file, set);
  return set;
}

std::string row_key(const Record& row, std::initializer_list<ColumnName> without) {
  std::string key;
  for (const Field& field : fields())
    if (field.key && std::ranges::find(without, ColumnName(field)) == without.end())
      key.append(to_text(row.value(field))).append("\n");
  return key;
}

}  // namespace spb::report
