// SPDX-License-Identifier: Apache-2.0
// A case that crashes or never ends costs its own row only.
#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <tuple>

#include "program.h"
#include "report/records/fields.h"
#include "report/records/jsonl.h"

namespace spb::cli {
namespace {

class Isolate : public testing::Test {
 protected:
  Outcome run(const std::string& words) const {
    return Program(SPB_CRASHING_PROGRAM, words, folder_.path()).wait();
  }
  /// status and status_detail of each case, by algorithm and direction.
  std::map<std::string, std::pair<std::string, std::string>> statuses() const {
    std::map<std::string, std::pair<std::string, std::string>> all;
    const report::JsonlFile file = report::read_jsonl(folder_.path() / "out" / "records.jsonl");
    for (const Record& row : file.runs.at(0).results)
      all[row.text(columns::algorithm) + " " + row.text(columns::direction)] = {
          row.text(columns::status), row.text(columns::status_detail)};
    return all;
  }
  TemporaryFolder folder_;
};

constexpr const char* kIsolated = "verify sphere:8 --channels 4:8 --out out --isolate ";

TEST_F(Isolate, CrashesCostTheirOwnCase) {
  const Outcome outcome = run(
      std::string(kIsolated) +
      "--algorithms right,illegal_address,abort,kill,exit,right_again --directions fprop,dgrad");
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  auto all = statuses();
  ASSERT_EQ(all.size(), 12u);
  for (const char* direction : {" fprop", " dgrad"}) {
    for (const char* right : {"right", "right_again"})
      EXPECT_EQ(all[std::string(right) + direction].first, "ok")
          << all[std::string(right) + direction].second;
    for (const auto& [algorithm, reason] : std::map<std::string, std::string>{
             {"illegal_address", SPB_ON_HOST ? "signal 11" : "illegal memory access"},
             {"abort", "signal 6"},
             {"kill", "signal 9, which the system sends when the host's memory runs out"},
             {"exit", "exit code 3"}}) {
      EXPECT_EQ(all[algorithm + direction].first, "error");
      EXPECT_TRUE(contains(all[algorithm + direction].second, reason))
          << all[algorithm + direction].second;
    }
  }
}

TEST_F(Isolate, CaseBeyondItsTimeIsEnded) {
  const Outcome outcome = run(std::string(kIsolated) +
                              "--timeout 3 --algorithms right,hang,right_again --directions fprop");
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  auto all = statuses();
  EXPECT_EQ(all["hang fprop"].first, "timeout");
  EXPECT_TRUE(contains(all["hang fprop"].second, "longer than 3 s")) << all["hang fprop"].second;
  EXPECT_EQ(all["right fprop"].first, "ok") << all["right fprop"].second;
  EXPECT_EQ(all["right_again fprop"].first, "ok") << all["right_again fprop"].second;
}

/// What a process is given that stops; far below an hour, which those of the tests would take.
constexpr double kEndsWithinS = 120;

TEST_F(Isolate, AProcessThatStopsAnywhereIsEnded) {
  for (const auto& [algorithm, status, reason] :
       {std::tuple{"stop", "timeout", "longer than 3 s"},
        {"talk_on", "timeout", "longer than 3 s"},
        {"hang_up", "error", "answered no more and did not end"}}) {
    SCOPED_TRACE(algorithm);
    std::filesystem::remove_all(folder_.path() / "out");
    const Outcome outcome =
        Program(SPB_CRASHING_PROGRAM,
                std::string(kIsolated) + "--timeout 3 --directions fprop -q --algorithms right," +
                    algorithm + ",right_again",
                folder_.path())
            .wait_for(kEndsWithinS);
    EXPECT_EQ(outcome.code, 4) << outcome.err;
    auto all = statuses();
    ASSERT_EQ(all.size(), 3u);
    const auto& [found, detail] = all[std::string(algorithm) + " fprop"];
    EXPECT_EQ(found, status) << detail;
    EXPECT_TRUE(contains(detail, reason)) << detail;
    EXPECT_EQ(all["right fprop"].first, "ok") << all["right fprop"].second;
    EXPECT_EQ(all["right_again fprop"].first, "ok") << all["right_again fprop"].second;
  }
}

TEST_F(Isolate, AProcessThatStopsBehindItsLastCaseIsEndedAndLosesNothing) {
  const Outcome outcome =
      Program(
          SPB_CRASHING_PROGRAM,
          std::string(kIsolated) + "--timeout 3 --directions fprop --algorithms right,hang_at_exit",
          folder_.path())
          .wait_for(kEndsWithinS);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "warning: the process of the cases did not end within 3 s"))
      << outcome.err;
  auto all = statuses();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all["hang_at_exit fprop"].first, "ok") << all["hang_at_exit fprop"].second;
  EXPECT_TRUE(
      report::read_jsonl(folder_.path() / "out" / "records.jsonl").runs.at(0).summary.has_value());
}

TEST_F(Isolate, GivesTheRowsOfOneProcess) {
  const std::string words =
      " sphere:8 --channels 3:5 --dtypes f16 --directions wgrad -q "
      "--algorithms right,right_again --seed 4 ";
  ASSERT_EQ(run("verify" + words + "--isolate --out isolated").code, 0);
  ASSERT_EQ(run("verify" + words + "--no-isolate --out one").code, 0);
  const auto rows = [&](const char* out) {
    return report::read_jsonl(folder_.path() / out / "records.jsonl").runs.at(0).results;
  };
  const auto isolated = rows("isolated"), one = rows("one");
  ASSERT_EQ(isolated.size(), 2u);
  ASSERT_EQ(one.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    for (auto [name, value] : one[i].values())
      if (!report::find_field(name)->varies) {
        EXPECT_EQ(isolated[i].value(name), value) << name;
      }
    EXPECT_EQ(isolated[i].values().size(), one[i].values().size());
  }
}

TEST_F(Isolate, InterruptOfBothProcessesLetsTheCaseEnd) {
  Program program(SPB_PROGRAM,
                  "verify sphere:32 --channels 64 --dtypes f16 --algorithms implicit_gemm "
                  "--isolate --out out -v",
                  folder_.path());
  while (program.is_running() && !contains(read(folder_ / "stderr"), "[1/3]"))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  program.send_to_group(SIGINT);
  EXPECT_EQ(program.wait().code, 130);
  const auto run = report::read_jsonl(folder_.path() / "out" / "records.jsonl").runs.at(0);
  ASSERT_EQ(run.results.size(), 1u);
  EXPECT_EQ(run.results[0].text(columns::status), "ok")
      << run.results[0].text(columns::status_detail);
  EXPECT_TRUE(run.summary);
}

TEST_F(Isolate, TimeoutNeedsAChild) {
  const Outcome outcome = run("verify sphere:8 --timeout 3 --no-isolate");
  EXPECT_EQ(outcome.code, 2) << outcome.err;
}

}  // namespace
}  // namespace spb::cli
