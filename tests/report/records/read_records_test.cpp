// SPDX-License-Identifier: Apache-2.0
#include "report/records/read_records.h"

#include "core/error.h"
#include "report/records/record_files.h"
#include "report/samples.h"

namespace spb::report {
namespace {

class ReadRecordsTest : public ReportTest {
 protected:
  void write_run(const std::filesystem::path& folder, const std::string& run_id) const {
    Record context;
    context[columns::run_id] = run_id;
    RecordFiles files(folder, context);
    for (const char* algorithm : {"one", "two"}) {
      Record row = sample_row(algorithm, 1.0 / 3);
      row[columns::run_id] = run_id;
      row[columns::voxel_size_m] = 0.1;
      files.add(row);
      files.end_case(algorithm);
    }
    Record summary;
    summary.named("exit_code") = int64_t{0};
    files.finish(summary);
  }
  static std::vector<std::string> keys(const RecordSet& set) {
    std::vector<std::string> all;
    for (const Record& row : set.rows) all.push_back(row_key(row));
    return all;
  }
  void expect_error(const std::filesystem::path& path, ExitCode code, const char* part) const {
    try {
      read_records(path);
      ADD_FAILURE() << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
};

TEST_F(ReadRecordsTest, FolderAndBothFilesGiveTheSameKeys) {
  write_run(folder_, "first");
  const RecordSet set = read_records(folder_);
  EXPECT_EQ(set.contexts.size(), 1u);
  EXPECT_EQ(set.summaries.size(), 1u);
  EXPECT_EQ(set.rows.size(), 2u);
  EXPECT_EQ(set.notes.size(), 0u);
  EXPECT_EQ(set.files, std::vector{folder_ / "records.jsonl"});
  EXPECT_EQ(keys(read_records(folder_ / "records.jsonl")), keys(set));
  EXPECT_EQ(keys(read_records(folder_ / "results.csv")), keys(set));
  EXPECT_NE(keys(set)[0], keys(set)[1]);
  std::filesystem::remove(folder_ / "records.jsonl");
  EXPECT_EQ(read_records(folder_).files, std::vector{folder_ / "results.csv"});
}

TEST_F(ReadRecordsTest, AFileWithoutALineHoldsNoRows) {
  write(folder_ / "records.jsonl", "");
  EXPECT_TRUE(read_records(folder_).rows.empty());
}

TEST_F(ReadRecordsTest, AFolderOfFoldersGivesAllOfThemByName) {
  for (const char* name : {"b", "a", "c/deep"}) write_run(folder_ / name, name);
  const RecordSet set = read_records(folder_);
  ASSERT_EQ(set.contexts.size(), 3u);
  EXPECT_EQ(set.contexts[0].text(columns::run_id), "a");
  EXPECT_EQ(set.contexts[2].text(columns::run_id), "c/deep");
  EXPECT_EQ(set.rows.size(), 6u);
}

TEST_F(ReadRecordsTest, AReportAmongTheFoldersIsNotReadAgain) {
  for (const char* name : {"a", "b"}) write_run(folder_ / name, name);
  const std::vector<std::string> all = keys(read_records(folder_));
  std::filesystem::copy_file(folder_ / "a/results.csv", folder_ / "results.csv");
  std::filesystem::create_directory(folder_ / "report");
  std::filesystem::copy_file(folder_ / "a/results.csv", folder_ / "report/results.csv");
  EXPECT_EQ(keys(read_records(folder_)), all);
}

TEST_F(ReadRecordsTest, ACutOffLastLineIsLeftOutAndTold) {
  write_run(folder_, "first");
  for (const char* name : {"records.jsonl", "results.csv"}) {
    const auto path = folder_ / name;
    const std::string text = content(path);
    write(path, text.substr(0, text.size() - 9));
    const RecordSet set = read_records(path);
    EXPECT_EQ(set.rows.size(), name[2] == 'c' ? 2u : 1u) << name;
    ASSERT_EQ(set.notes.size(), 1u) << name;
    EXPECT_NE(set.notes[0].find(name), std::string::npos);
  }
}

TEST_F(ReadRecordsTest, RefusesWhatItCannotRead) {
  expect_error(folder_, ExitCode::runtime, "holds no records");
  expect_error(folder_ / "none", ExitCode::runtime, "does not exist");
  expect_error("/dev/zero", ExitCode::runtime, "holds no records");
  write_run(folder_, "first");
  const std::string text = content(folder_ / "records.jsonl");
  write(folder_ / "damaged.jsonl", "{broken\n" + text);
  expect_error(folder_ / "damaged.jsonl", ExitCode::runtime, "damaged.jsonl:1");
  write(folder_ / "notes.txt", "one,two\n1\n");
  expect_error(folder_ / "notes.txt", ExitCode::runtime, "notes.txt:2");
}

TEST_F(ReadRecordsTest, RefusesATimedRowWithoutATime) {
  Record row = sample_row("one", 1);
  row[columns::time_median_us] = std::nullopt;
  write_csv(folder_ / "untimed.csv", std::vector{row});
  expect_error(folder_ / "untimed.csv", ExitCode::runtime, "without a time above 0");
  row[columns::phase] = std::nullopt;  // verified only
  write_csv(folder_ / "verified.csv", std::vector{row});
  EXPECT_EQ(read_records(folder_ / "verified.csv").rows.size(), 1u);
}

TEST_F(ReadRecordsTest, RefusesRowsOfTwoVersionsOfTheData) {
  const auto row = [](const char* dataset, const char* hash) {
    Record made = sample_row();
    made[columns::dataset] = dataset;
    if (*hash) made[columns::dataset_sha256] = hash;
    return made;
  };
  const std::vector<Record> good{row("a.bin", "12"), row("sphere:4", ""), row("b.bin", "34"),
                                 row("a.bin", ""), row("a.bin", "12")};
  std::vector<Record> mixed = good;
  mixed.push_back(row("b.bin", "12"));
  for (const char* folder : {"good", "mixed"}) {
    RecordFiles files(folder_ / folder, Record());
    for (const Record& each : folder[0] == 'g' ? good : mixed) files.add(each);
    files.finish(Record());
  }
  EXPECT_EQ(read_records(folder_ / "good").rows.size(), good.size());
  for (const char* file : {"mixed", "mixed/records.jsonl", "mixed/results.csv"})
    expect_error(folder_ / file, ExitCode::usage,
                 "two versions of b.bin, dataset_sha256 34 and 12");
}

TEST_F(ReadRecordsTest, RefusesANewerMajorWhateverItsColumnsHold) {
  write(folder_ / "f.jsonl",
        "{\"type\":\"result\",\"c_in\":\"sixteen\",\"schema_version\":\"99.0\"}\n");
  expect_error(folder_ / "f.jsonl", ExitCode::usage, "schema 99.0");
  write(folder_ / "f.csv", "c_in,schema_version\nsixteen,99.0\n");
  expect_error(folder_ / "f.csv", ExitCode::usage, "schema 99.0");
}

TEST_F(ReadRecordsTest, ACsvLargerThanOnePieceReadsWhole) {
  std::vector<Record> rows;
  for (int i = 0; i < 1000; ++i) rows.push_back(sample_row("algorithm_" + std::to_string(i)));
  write_csv(folder_ / "results.csv", rows);
  ASSERT_GT(std::filesystem::file_size(folder_ / "results.csv"), 2u << 16);
  const RecordSet set = read_records(folder_);
  ASSERT_EQ(set.rows.size(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(row_key(set.rows[i]), row_key(rows[i])) << i;
}

}  // namespace
}  // namespace spb::report
