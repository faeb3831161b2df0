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

constexpr const char* kRun =
    "run sphere:4 --channels 4:8 --max-time 0.002 --min-samples 1 --llc-bytes 100000 --resume "
    "--out out";
constexpr size_t kPhases = 5;

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
    Program program(kRun + more, folder_.path());
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
    const size_t expected = case_count() * kPhases;
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
  for (int trial = 0; trial < 20; ++trial) {
    std::filesystem::remove_all(folder_.path() / "out");
    // All rows have some 160 kB. A trial ends with the first run that is faster than its kill.
    while (kill_after(random() % 100'000, trial % 4 == 0 ? " --isolate" : "")) ++kills;
    const Outcome outcome = folder_.run(kRun);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    ASSERT_TRUE(contains(outcome.err, "resuming: " + cases + " of " + cases + " cases are there"))
        << outcome.err;
    expect_every_case_once();
  }
  EXPECT_GE(kills, 20u);
}

TEST_F(Resume, InterruptedRunGoesOn) {
  Program program(kRun, folder_.path());
  while (program.is_running() && bytes() < 5'000)
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  program.send(SIGINT);
  ASSERT_EQ(program.wait().code, 130);
  const Outcome outcome = folder_.run(kRun);
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
  ASSERT_EQ(folder_.run(std::string(kRun) + " --directions fprop").code, 0);
  const std::string before = read(records());
  const Outcome outcome = folder_.run(kRun);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(count_lines(outcome.err), 1u) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "config_hash")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "--directions fprop")) << outcome.err;
  EXPECT_EQ(read(records()), before);
  EXPECT_EQ(folder_.run(std::string(kRun) + " --directions fprop").code, 0);
  EXPECT_EQ(folder_.run(std::string(kRun) + " --directions fprop --time-anyway").code, 2);

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

}  // namespace
}  // namespace spb::cli
