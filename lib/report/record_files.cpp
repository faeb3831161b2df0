#include "report/record_files.h"

#include "core/error.h"
#include "report/fields.h"
#include "report/rank.h"

namespace spb::report {
namespace {

Record with_version(Record record) {
  if (record.text("schema_version").empty()) record["schema_version"] = kSchemaVersion;
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

void RecordFiles::finish(const Record& summary) {
  jsonl_.finish(summary);
  std::vector<Record> records = read_csv(csv_.path());
  fill_rank(records);
  std::filesystem::path ranked = csv_.path();
  ranked += ".tmp";
  std::filesystem::remove(ranked);
  CsvWriter writer(ranked);
  for (const Record& record : records) writer.append(record);
  std::error_code error;
  std::filesystem::rename(ranked, csv_.path(), error);
  if (error) throw input_error(csv_.path().string(), "cannot replace: " + error.message());
}

}  // namespace spb::report
