// SPDX-License-Identifier: Apache-2.0
#include "report/records/record_files.h"

#include <algorithm>
#include <iterator>

#include "report/records/fields.h"
#include "report/summary/rank.h"

namespace spb::report {
namespace {

Record with_version(Record record) {
  if (record.text(columns::schema_version).empty())
    record[columns::schema_version] = kSchemaVersion;
  return record;
}

}  // namespace

RecordFiles::RecordFiles(const std::filesystem::path& out_dir, const Record& context)
    : jsonl_(out_dir / "records.jsonl", with_version(context)), csv_(out_dir / "results.csv") {}

void RecordFiles::add(Record record) {
  record = with_version(std::move(record));
  jsonl_.append(record);
  csv_.append(record);
}

void RecordFiles::end_case(const std::string& name) { jsonl_.end_case(name); }

void RecordFiles::finish(const Record& summary) {
  jsonl_.finish(summary);
  // Not of results.csv, which others may have replaced or removed in the meantime.
  std::vector<Record> records;
  for (RunRecords& run : read_jsonl(jsonl_.path()).runs)
    std::ranges::move(run.results, std::back_inserter(records));
  fill_rank(records);
  write_csv(csv_.path(), records);
}

}  // namespace spb::report
