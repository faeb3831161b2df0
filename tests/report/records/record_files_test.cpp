// SPDX-License-Identifier: Apache-2.0
#include "report/records/record_files.h"

#include "core/error.h"
#include "report/samples.h"

namespace spb::report {
namespace {

using RecordFilesTest = ReportTest;

TEST_F(RecordFilesTest, EveryRowIsOnDiskBeforeTheNext) {
  RecordFiles files(folder_ / "deep" / "out", Record());
  ASSERT_EQ(files.paths().size(), 2u);
  for (size_t rows = 1; rows <= 3; ++rows) {
    files.add(sample_row());
    EXPECT_EQ(read_csv(folder_ / "deep/out/results.csv").size(), rows);
    EXPECT_EQ(read_jsonl(folder_ / "deep/out/records.jsonl").runs.at(0).results.size(), rows);
  }
}

TEST_F(RecordFilesTest, FinishWritesTheSummaryAndRanks) {
  Record summary;
  summary.named("rows") = int64_t{2};
  for (int run = 0; run < 2; ++run) {
    RecordFiles files(folder_, Record());
    Record slow = sample_row("slow", 20), fast = sample_row("fast", 10);
    slow.named("run_id") = fast.named("run_id") = "run" + std::to_string(run);
    files.add(slow);
    files.add(fast);
    files.finish(summary);
  }
  const std::vector<Record> rows = read_csv(folder_ / "results.csv");
  ASSERT_EQ(rows.size(), 4u);
  for (size_t row = 0; row < 4; ++row)
    EXPECT_EQ(rows[row].value(columns::rank), Value(int64_t{row % 2 ? 1 : 2})) << row;
  EXPECT_EQ(read_jsonl(folder_ / "records.jsonl").runs.at(1).summary->values(), summary.values());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "results.csv.tmp"));
}

TEST_F(RecordFilesTest, ARowIsInTheTableWhateverOthersDidToIt) {
  for (const bool removed : {false, true}) {
    const std::filesystem::path out = folder_ / (removed ? "removed" : "replaced");
    RecordFiles files(out, Record());
    files.add(sample_row("slow", 20));
    if (removed)
      std::filesystem::remove(out / "results.csv");
    else
      write_csv(out / "results.csv", {});
    files.add(sample_row("fast", 10));
    files.finish(Record());
    const std::vector<Record> rows = read_csv(out / "results.csv");
    ASSERT_EQ(rows.size(), 2u) << removed;
    EXPECT_EQ(rows[0].value(columns::rank), Value(int64_t{2}));
    EXPECT_EQ(rows[1].value(columns::rank), Value(int64_t{1}));
  }
}

TEST_F(RecordFilesTest, FillsInTheSchemaVersion) {
  RecordFiles files(folder_, Record());
  Record row = sample_row();
  row[columns::schema_version] = std::nullopt;
  files.add(row);
  EXPECT_EQ(read_csv(folder_ / "results.csv").at(0).text(columns::schema_version), kSchemaVersion);
  EXPECT_EQ(read_jsonl(folder_ / "records.jsonl").runs.at(0).context.text(columns::schema_version),
            kSchemaVersion);
}

TEST_F(RecordFilesTest, AnUnwritableFolderFailsBeforeAnyWork) {
  write(folder_ / "file", "");
  try {
    RecordFiles files(folder_ / "file" / "out", Record());
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::runtime);
    EXPECT_NE(std::string(error.what()).find("cannot write"), std::string::npos) << error.what();
  }
}

TEST_F(RecordFilesTest, MistakesOfTheProgramReachNoFile) {
  RecordFiles files(folder_, Record());
  Record wrong = sample_row();
  wrong.named("c_in") = "16";
  EXPECT_THROW(files.add(wrong), std::logic_error);
  EXPECT_TRUE(read_csv(folder_ / "results.csv").empty());
  EXPECT_TRUE(read_jsonl(folder_ / "records.jsonl").runs.at(0).results.empty());
}

}  // namespace
}  // namespace spb::report
