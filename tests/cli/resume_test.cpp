// SPDX-License-Identifier: Apache-2.0
// run --resume: whenever a run was killed, every planned case ends with one set of rows.
#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "program.h"
#include "report/records/csv.h"
#include "report/records/jsonl.h"

namespace spb::cli {
namespace {

constexpr const char* kResumed =
    "run sphere:4 --channels 4:8 --max-time 0.002 --min-samples 1 --llc-bytes 100000 --resume "
    "--out out";
constexpr size_t kPhasesOfACase = 5;

class Resume : public testing::Test {
 protected:
  std::filesystem::path records() const { return folder_.path() / "out" / "records.jsonl"; }
  uintmax_t bytes() const {
    std::error_code none_yet;
    const uintmax_t size = std::filesystem::file_size(records(), none_yet);
    return none_yet ? 0 : size;
  }
  /// SIGKILL when the records have grown by this much; false when the run was faster.
  bool kill_after(uintmax_t growth, const std::string& more) const {
    const uintmax_t until = bytes() + growth;
    Program program(kResumed + more, folder_.path());
    while (program.is_running() && bytes() < until)
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    program.send(SIGKILL);
    return program.wait().code == 128 + SIGKILL;
  }
  static size_t case_count() { return algorithm_count() * 3; }
  void expect_every_case_once() const {
    std::map<std::string, int> rows;
    std::set<std::string> run_ids;
    for (const report::RunRecords& run : report::read_jsonl(records()).runs)
      for (const Record& row : run.results) {
        ++rows[row.text(columns::case_id)];
        run_ids.insert(row.text(columns::run_id));
      }
    const size_t expected = case_count() * kPhasesOfACase;
    EXPECT_EQ(rows.size(), expected);
    for (const auto& [id, count] : rows) EXPECT_EQ(count, 1) << id;
    EXPECT_EQ(run_ids.size(), 1u);
    const std::vector<Record> csv = report::read_csv(folder_.path() / "out" / "results.csv");
    EXPECT_EQ(csv.size(), expected);
    for (const Record& row : csv)
      EXPECT_TRUE(std::holds_alternative<int64_t>(row.value(columns::rank)))
          << row.text(columns::case_id);
  }
  TemporaryFolder folder_;
};

TEST_F(Resume, KilledAtRandomMoments) {
  const std::string cases = std::to_string(case_count());
  std::mt19937 random(4);
  size_t kills = 0;
  for (int trial = 0; trial < 10; ++trial) {
    std::filesystem::remove_all(folder_.path() / "out");
    // All rows have some 160 kB. A trial ends with the first run that is faster than its kill.
    while (kill_after(random() % 100'000, trial % 4 == 0 ? " --isolate" : "")) ++kills;
    const Outcome outcome = folder_.run(kResumed);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    ASSERT_TRUE(contains(outcome.err, "resuming: " + cases + " of " + cases + " cases are there"))
        << outcome.err;
    expect_every_case_once();
  }
  EXPECT_GE(kills, 10u);
}

TEST_F(Resume, InterruptedRunGoesOn) {
  Program program(kResumed, folder_.path());
  while (program.is_running() && bytes() < 5'000)
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  program.send(SIGINT);
  ASSERT_EQ(program.wait().code, 130);
  const Outcome outcome = folder_.run(kResumed);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "masked_implicit_gemm_splitk"));
  expect_every_case_once();
}

TEST_F(Resume, EarlierFailuresCountInTheExitCode) {
  const std::string words =
      "run sphere:4 --channels 4:8 --directions fprop --algorithms right,abort --isolate "
      "--max-time 0.002 --min-samples 1 --llc-bytes 100000 --out out";
  EXPECT_EQ(Program(SPB_CRASHING_PROGRAM, words, folder_.path()).wait().code, 4);
  const Outcome outcome = Program(SPB_CRASHING_PROGRAM, words + " --resume", folder_.path()).wait();
  EXPECT_EQ(outcome.code, 4);
  EXPECT_TRUE(contains(outcome.err, "resuming: 2 of 2")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "1 error")) << outcome.err;
}

TEST_F(Resume, OtherOptionsAreRefused) {
  ASSERT_EQ(folder_.run(std::string(kResumed) + " --directions fprop").code, 0);
  const std::string before = read(records());
  const Outcome outcome = folder_.run(kResumed);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(count_lines(outcome.err), 1u) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "config_hash")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "--directions fprop")) << outcome.err;
  EXPECT_EQ(read(records()), before);
  EXPECT_EQ(folder_.run(std::string(kResumed) + " --directions fprop").code, 0);
  EXPECT_EQ(folder_.run(std::string(kResumed) + " --directions fprop --time-anyway").code, 2);

  std::filesystem::create_directory(folder_.path() / "half");
  folder_.write("half/results.csv", "case_id\na\n");
  for (const bool is_empty : {false, true}) {
    if (is_empty) folder_.write("half/records.jsonl", "");
    const Outcome half = folder_.run("run sphere:4 --resume --out half");
    EXPECT_EQ(half.code, 2);
    EXPECT_TRUE(contains(half.err, "no run in records.jsonl")) << half.err;
    EXPECT_EQ(read(folder_ / "half/results.csv"), "case_id\na\n");
  }
  const Outcome nowhere = folder_.run("run sphere:4 --resume");
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_TRUE(contains(nowhere.err, "--out")) << nowhere.err;
}

constexpr const char* kHere = "0 0 0\n1 0 0\n1 1 0\n2 1 1\n";
constexpr const char* kMoved = "0 0 0\n1 0 0\n1 1 0\n2 2 2\n";
/// Of the program that crashes and stops, on a file.
constexpr const char* kOfFile =
    "run scan.xyz --voxel-size 1 --channels 4:8 --directions fprop --max-time 0.002 --min-samples "
    "1 "
    "--llc-bytes 100000 --out out --isolate ";

class Folder : public Resume {
 protected:
  Outcome crashing(const std::string& words) const {
    return Program(SPB_CRASHING_PROGRAM, words, folder_.path()).wait_for(120);
  }
  /// Until the records hold it; false when the program ended first.
  bool wait_until_records_hold(const Program& program, const std::string& part) const {
    while (program.is_running() && !contains(read(records()), part))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return program.is_running();
  }
  void expect_refused(const Outcome& outcome, std::initializer_list<std::string> parts) const {
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_EQ(count_lines(outcome.err), 1u) << outcome.err;
    for (const std::string& part : parts)
      EXPECT_TRUE(contains(outcome.err, part)) << part << " in " << outcome.err;
  }
};

TEST_F(Folder, DataThatChangedAreNotResumed) {
  folder_.write("scan.xyz", kHere);
  const std::string words = std::string(kOfFile) + "--algorithms right,abort";
  ASSERT_EQ(crashing(words).code, 4);
  const std::string before = read(records());
  folder_.write("scan.xyz", kMoved);
  for (const char* more : {" --resume", " --resume --retry error"}) {
    expect_refused(crashing(words + more),
                   {"records.jsonl: ", "scan.xyz", "dataset_sha256", "another --out"});
    EXPECT_EQ(read(records()), before);
  }
  folder_.write("scan.xyz", kHere);
  const Outcome outcome = crashing(words + " --resume");
  EXPECT_TRUE(contains(outcome.err, "resuming: 2 of 2")) << outcome.err;
}

TEST_F(Folder, DataThatChangeWhileTheRunGoesOnEndIt) {
  folder_.write("scan.xyz", kHere);
  const std::string words =
      std::string(kOfFile) + "--timeout 3 --algorithms right,hang,right_again ";
  Program program(SPB_CRASHING_PROGRAM, words, folder_.path());
  ASSERT_TRUE(wait_until_records_hold(program, "case_end"));
  folder_.write("scan.xyz", kMoved);  // the process that comes after the one that hangs reads it
  const Outcome outcome = program.wait_for(120);
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "scan.xyz: was changed while the run went on")) << outcome.err;
  EXPECT_EQ(folder_.run("report out -o page --no-plots").code, 0) << "its rows are of one version";
  folder_.write("scan.xyz", kHere);
  const Outcome resumed = crashing(words + "--resume");
  EXPECT_TRUE(contains(resumed.err, "resuming: 2 of 3")) << resumed.err;
  EXPECT_EQ(report::read_csv(folder_.path() / "out" / "results.csv").size(),
            2 * kPhasesOfACase + 1);
}

TEST_F(Folder, ReportAndCompareRefuseARunOfTwoVersions) {
  folder_.write("scan.xyz", kHere);
  ASSERT_EQ(crashing(std::string(kOfFile) + "--algorithms right").code, 0);
  std::filesystem::copy(folder_.path() / "out", folder_.path() / "good");
  std::string text = read(records());
  const std::string name = R"("dataset_sha256":")";
  const size_t at = text.rfind(name);
  ASSERT_LT(at, text.size());
  folder_.write("out/records.jsonl", text.replace(at + name.size(), 12, "beefbeefbeef"));
  for (const char* words : {"report out -o page --no-plots", "compare out good", "compare good out",
                            "compare --save-baseline main out"})
    expect_refused(folder_.run(words), {"records.jsonl: ", "two versions of scan.xyz",
                                        "dataset_sha256", "beefbeefbeef"});
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "page"));
  EXPECT_EQ(folder_.run("report good -o page --no-plots").code, 0);
}

TEST_F(Folder, TwoFilesOfOneNameAreNoData) {
  for (const char* inner : {"a", "b"}) std::filesystem::create_directory(folder_.path() / inner);
  folder_.write("a/scan.xyz", kHere);
  folder_.write("b/scan.xyz", kMoved);
  const std::string words =
      " a/scan.xyz b/scan.xyz --voxel-size 1 --channels 4 --algorithms right ";
  expect_refused(crashing("run" + words + "--out out"), {"b/scan.xyz: ", "a/scan.xyz"});
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "out"));
  EXPECT_EQ(crashing("verify" + words).code, 0) << "without records no name is told apart";
  folder_.write("b/scan.xyz", kHere);
  EXPECT_EQ(crashing("verify" + words + "--out out").code, 0);
}

TEST_F(Folder, IsWrittenByOneProcess) {
  folder_.write("scan.xyz", kHere);
  const std::string words = std::string(kOfFile) + "--algorithms right,hang ";
  Program first(SPB_CRASHING_PROGRAM, words, folder_.path());
  ASSERT_TRUE(wait_until_records_hold(first, "case_end"));
  const std::string who = "process " + std::to_string(first.pid()) + " on ";
  const std::string before = read(records());
  // Programs of this folder share the files of their output: no second one while the first runs.
  TemporaryFolder elsewhere;
  const std::string out = " --out " + records().parent_path().string();
  for (const std::string& command :
       {"run sphere:4" + out, "run sphere:4 --resume" + out, "verify sphere:4" + out,
        "report " + records().string() + " --no-plots" + out})
    expect_refused(elsewhere.run(command), {"--out: ", who, "another folder"});
  EXPECT_EQ(elsewhere.run("report " + records().string() + " --no-plots -o page").code, 0);
  EXPECT_EQ(read(records()), before);

  first.send(SIGKILL);
  ASSERT_EQ(first.wait().code, 128 + SIGKILL);
  EXPECT_TRUE(contains(read(records().string() + ".lock"), who)) << "what a crash leaves";
  const Outcome resumed = crashing(words + "--timeout 3 --resume");
  EXPECT_EQ(resumed.code, 4) << resumed.err;
  EXPECT_TRUE(contains(resumed.err, "resuming: 1 of 2")) << resumed.err;
  EXPECT_EQ(report::read_csv(folder_.path() / "out" / "results.csv").size(), kPhasesOfACase + 1);
}

TEST_F(Folder, LosesNoRowOfATableThatOthersReplaceOrRemove) {
  folder_.write("scan.xyz", kHere);
  for (const bool removed : {false, true}) {
    std::filesystem::remove_all(folder_.path() / "out");
    Program program(SPB_CRASHING_PROGRAM,
                    std::string(kOfFile) + "--timeout 3 --algorithms right,hang,right_again",
                    folder_.path());
    ASSERT_TRUE(wait_until_records_hold(program, "case_end"));
    const std::filesystem::path table = folder_.path() / "out" / "results.csv";
    if (removed)
      std::filesystem::remove(table);
    else
      report::write_csv(table, std::vector<Record>());
    EXPECT_EQ(program.wait_for(120).code, 4);
    EXPECT_EQ(report::read_csv(table).size(), 2 * kPhasesOfACase + 1);
  }
}

TEST_F(Folder, WithATableOfOtherRowsIsRefused) {
  std::filesystem::create_directory(folder_.path() / "out");
  folder_.write("out/results.csv", "case_id\na\n");
  expect_refused(folder_.run("run sphere:4 --out out"), {"--out: ", "results.csv", "move it away"});
  EXPECT_EQ(read(folder_ / "out/results.csv"), "case_id\na\n");
  folder_.write("out/records.jsonl.xz", "");
  std::filesystem::remove(folder_.path() / "out/results.csv");
  expect_refused(folder_.run("run sphere:4 --out out"), {"holds a run already"});
  expect_refused(folder_.run("run sphere:4 --out out --resume"), {"records.jsonl.xz", "unpack it"});
  EXPECT_FALSE(std::filesystem::exists(records()));
}

}  // namespace
}  // namespace spb::cli
