// SPDX-License-Identifier: Apache-2.0
#include "report/records/resume.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "report/records/record_files.h"
#include "report/samples.h"

namespace spb::report {
namespace {

constexpr const char* kCases[] = {"gather_scatter", "explicit_gemm", "implicit_gemm"};
constexpr const char* kPhases[] = {"kernel", "plan"};

class ResumeTest : public ReportTest {
 protected:
  void SetUp() override {
    ReportTest::SetUp();
    columns_[columns::run_id] = "first";
    columns_[columns::config_hash] = "c0ffee";
    columns_[columns::git_sha] = "abc";
    columns_[columns::gpu_uuid] = "GPU-1";
  }
  void add_case(RecordFiles& files, const std::string& name) const {
    for (const char* phase : kPhases) {
      Record row = sample_row(name, static_cast<double>(name.size()));
      for (const auto& [column, value] : columns_.values()) row.named(column) = value;
      row.named("phase") = phase;
      files.add(row);
    }
    files.end_case(name);
  }
  /// What is not there yet of all cases, as `run --resume` does it.
  EarlierRun go_on() {
    const EarlierRun earlier = reopen_run(folder_, columns_);
    if (!earlier.run_id.empty()) columns_[columns::run_id] = earlier.run_id;
    RecordFiles files(folder_, columns_);
    for (const char* name : kCases)
      if (!earlier.cases.contains(name)) add_case(files, name);
    files.finish(Record());
    return earlier;
  }
  std::string error_of_reopening() const {
    try {
      reopen_run(folder_, columns_);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      return error.what();
    }
    return {};
  }
  Record columns_;
};

/// Algorithm and phase of every row.
std::multiset<std::string> names(std::span<const Record> rows) {
  std::multiset<std::string> all;
  for (const Record& row : rows)
    all.insert(row.text(columns::algorithm) + " " + row.text(columns::phase));
  return all;
}

TEST_F(ResumeTest, NothingThereIsNoRun) {
  EXPECT_TRUE(reopen_run(folder_ / "new", columns_).run_id.empty());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new"));
}

TEST_F(ResumeTest, EveryCaseOnceWhereverTheFilesWereCut) {
  go_on();
  const std::string jsonl = content(folder_ / "records.jsonl");
  const std::string csv = content(folder_ / "results.csv");
  const auto expected = names(read_csv(folder_ / "results.csv"));
  ASSERT_EQ(expected.size(), 6u);
  std::set<size_t> resumed;
  for (size_t size = 0; size <= jsonl.size(); ++size) {
    const bool at_line_end = jsonl.find('\n', size - std::min<size_t>(size, 2)) < size + 2;
    if (!at_line_end && size % 61 != 0) continue;
    write(folder_ / "records.jsonl", jsonl.substr(0, size));
    write(folder_ / "results.csv", csv.substr(0, size * csv.size() / jsonl.size()));
    columns_[columns::run_id] = "second";
    const EarlierRun earlier = go_on();
    resumed.insert(earlier.cases.size());
    ASSERT_EQ(earlier.results.size(), 2 * earlier.cases.size()) << size;

    std::vector<Record> rows;
    for (const RunRecords& run : read_jsonl(folder_ / "records.jsonl").runs)
      rows.insert(rows.end(), run.results.begin(), run.results.end());
    ASSERT_EQ(names(rows), expected) << size;
    const std::vector<Record> table = read_csv(folder_ / "results.csv");
    ASSERT_EQ(names(table), expected) << size;
    for (const Record& row : table) {
      ASSERT_EQ(row.text(columns::run_id), columns_.text(columns::run_id)) << size;
      // 13, 13 and 14 letters are the times.
      ASSERT_EQ(row.value(columns::rank),
                Value(int64_t{row.text(columns::algorithm).size() == 14 ? 3 : 1}));
    }
  }
  EXPECT_EQ(resumed, (std::set<size_t>{0, 1, 2, 3}));
}

TEST_F(ResumeTest, AnotherDeviceIsAnotherRun) {
  go_on();
  columns_[columns::run_id] = "second";
  columns_[columns::gpu_uuid] = "GPU-2";
  EXPECT_TRUE(go_on().run_id.empty());
  EXPECT_EQ(read_csv(folder_ / "results.csv").size(), 12u);
  columns_[columns::gpu_uuid] = "GPU-1";
  const EarlierRun first = reopen_run(folder_, columns_);
  EXPECT_EQ(first.run_id, "first");
  EXPECT_EQ(first.results.size(), 6u);
  EXPECT_EQ(read_csv(folder_ / "results.csv").size(), 12u);
}

TEST_F(ResumeTest, OtherOptionsOrAnotherBuildAreRefused) {
  go_on();
  const std::string before = content(folder_ / "records.jsonl");
  columns_[columns::config_hash] = "f00d";
  std::string message = error_of_reopening();
  for (const char* part : {"records.jsonl: ", "config_hash c0ffee", "this command f00d", "--out"})
    EXPECT_NE(message.find(part), std::string::npos) << part << " in " << message;
  columns_[columns::config_hash] = "c0ffee";
  columns_[columns::git_sha] = "def";
  message = error_of_reopening();
  EXPECT_NE(message.find("git_sha abc, this command def"), std::string::npos) << message;
  EXPECT_EQ(content(folder_ / "records.jsonl"), before);
}

TEST_F(ResumeTest, OtherDataAreRefused) {
  columns_[columns::dataset] = "scan.bin";
  columns_[columns::dataset_sha256] = "12ab";
  go_on();
  const std::string before = content(folder_ / "records.jsonl");
  const auto now = [](const char* hash) {
    return [=](const std::string& dataset) {
      EXPECT_EQ(dataset, "scan.bin");
      return std::string(hash);
    };
  };
  try {
    reopen_run(folder_, columns_, now("34cd"));
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    for (const char* part : {"records.jsonl: ", "scan.bin", "dataset_sha256 12ab", "now has 34cd"})
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
  EXPECT_EQ(content(folder_ / "records.jsonl"), before);
  EXPECT_EQ(reopen_run(folder_, columns_, now("12ab")).cases.size(), 3u);
  EXPECT_EQ(reopen_run(folder_, columns_, now("")).cases.size(), 3u) << "a file it does not read";
}

TEST_F(ResumeTest, CompressedRecordsAreRefused) {
  write(folder_ / "records.jsonl.xz", "");
  EXPECT_NE(error_of_reopening().find("records.jsonl.xz: is compressed"), std::string::npos);
}

}  // namespace
}  // namespace spb::report
