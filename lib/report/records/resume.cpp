// SPDX-License-Identifier: Apache-2.0
#include "report/records/resume.h"

#include <algorithm>
#include <span>

#include "core/error.h"
#include "core/paths.h"
#include "report/records/append_file.h"
#include "report/records/csv.h"
#include "report/records/data_hashes.h"
#include "report/records/jsonl.h"

namespace spb::report {
namespace {

void check_same(const std::filesystem::path& path, const Record& context, const Record& columns) {
  for (const Column<Text>& column : {columns::config_hash, columns::git_sha})
    if (context.text(column) != columns.text(column))
      throw usage_error(path.string(),
                        std::string("its run has ") + column.name + " " +
                            shortened_hash(context.text(column)) + ", this command " +
                            shortened_hash(columns.text(column)),
                        "give the program and options of \"" + context.text_of("command_line") +
                            "\", or another --out");
}

/// Cases that are there and cases that are still to run must be of the same data.
void check_data(const std::filesystem::path& path, const JsonlFile& file, const std::string& run_id,
                const DataHash& hash_of) {
  constexpr const char* kWayOut = "give the data as they were, or another --out";
  DataHashes hashes;
  for (const RunRecords& run : file.runs) {
    if (run.context.text(columns::run_id) != run_id) continue;
    for (const Record& row : std::span(run.results).first(run.ended_results))
      if (const std::string two = hashes.add(row); !two.empty())
        throw usage_error(path.string(), "its run has " + two, kWayOut);
  }
  if (!hash_of) return;
  for (const auto& [dataset, hash] : hashes.by_dataset())
    if (const std::string now = hash_of(dataset); !now.empty() && now != hash)
      throw usage_error(path.string(),
                        "its run has read " + dataset + " with " + columns::dataset_sha256.name +
                            " " + shortened_hash(hash) + ", which now has " + shortened_hash(now),
                        kWayOut);
}

/// Whether a line follows the header.
bool holds_rows(const std::filesystem::path& csv) {
  if (!is_file(csv)) return false;
  const std::string text = read_text(csv);
  return std::ranges::count(text, '\n') > 1;
}

/// Removes the rows that unended cases of the run left.
void drop_open_rows(const std::filesystem::path& path, JsonlFile& file, const std::string& run_id) {
  std::string text = read_text(path);
  for (auto run = file.runs.rbegin(); run != file.runs.rend(); ++run) {
    if (run->context.text(columns::run_id) != run_id) continue;
    run->results.resize(run->ended_results);
    text.erase(run->open_begin, run->open_end - run->open_begin);
  }
  replace_text(path, text);
}

}  // namespace

EarlierRun reopen_run(const std::filesystem::path& out_dir, const Record& columns,
                      const DataHash& hash_of) {
  const std::filesystem::path path = out_dir / "records.jsonl";
  const std::filesystem::path packed = out_dir / "records.jsonl.xz";
  if (!is_there(path) && is_there(packed))
    throw usage_error(packed.string(), "is compressed, and a run goes on in plain records only",
                      "unpack it with xz -d, or name another --out");
  EarlierRun earlier;
  JsonlFile file;
  if (is_file(path)) {  // a device may never end
    { const AppendFile drops_a_torn_line(path); }
    file = read_jsonl(path);
  }
  if (file.runs.empty() && holds_rows(out_dir / "results.csv"))
    throw usage_error((out_dir / "results.csv").string(),
                      "has no run in records.jsonl beside it to go on with",
                      "move it away, or name another --out");
  const auto last = std::find_if(file.runs.rbegin(), file.runs.rend(), [&](const RunRecords& run) {
    return run.context.text(columns::gpu_uuid) == columns.text(columns::gpu_uuid);
  });
  if (last == file.runs.rend()) return earlier;
  check_same(path, last->context, columns);
  earlier.run_id = last->context.text(columns::run_id);
  check_data(path, file, earlier.run_id, hash_of);
  drop_open_rows(path, file, earlier.run_id);
  std::vector<Record> all;
  for (const RunRecords& run : file.runs) {
    all.insert(all.end(), run.results.begin(), run.results.end());
    if (run.context.text(columns::run_id) != earlier.run_id) continue;
    earlier.results.insert(earlier.results.end(), run.results.begin(), run.results.end());
    earlier.cases.insert(run.ended_cases.begin(), run.ended_cases.end());
  }
  // Rebuilt whole: a kill may have come between a row's two files.
  write_csv(out_dir / "results.csv", all);
  return earlier;
}

}  // namespace spb::report
