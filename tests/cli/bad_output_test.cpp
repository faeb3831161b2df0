// SPDX-License-Identifier: Apache-2.0
// Files and streams that take nothing more, or are not there: an error and no lost record.
#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <thread>

#include "program.h"
#include "report/records/jsonl.h"

namespace spb::cli {
namespace {

class BadOutput : public testing::Test {
 protected:
  TemporaryFolder folder_;
};

TEST_F(BadOutput, UnwritableOutputIsFoundBeforeAnyWork) {
  folder_.write("file", "");
  const Outcome outcome = folder_.run("run sphere:256 --out file/out");
  EXPECT_EQ(outcome.code, 4);
  EXPECT_LT(outcome.seconds, 2);
  EXPECT_TRUE(outcome.err.starts_with("error: ")) << outcome.err;
  EXPECT_EQ(count_lines(outcome.err), 1u) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "file/out")) << outcome.err;
}

TEST_F(BadOutput, FullDiskIsNoSuccess) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  std::filesystem::create_directory(folder_.path() / "out");
  std::filesystem::create_symlink("/dev/full", folder_.path() / "out" / "records.jsonl");
  EXPECT_EQ(folder_.run("run sphere:8 --out out").code, 4);
  EXPECT_EQ(folder_.run("run sphere:8 --out out --resume").code, 4);
}

TEST_F(BadOutput, FullStandardErrorEndsNothing) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  std::filesystem::create_symlink("/dev/full", folder_.path() / "stderr");
  const auto code_of = [&](const std::string& words) {
    Program program(words, folder_.path());
    while (program.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::filesystem::remove(folder_.path() / "stderr");  // it has no end to be read
    const int code = program.wait().code;
    std::filesystem::create_symlink("/dev/full", folder_.path() / "stderr");
    return code;
  };
  EXPECT_EQ(code_of("verify sphere:4 --dtypes f32 --directions fprop --out out"), 0);
  EXPECT_EQ(report::read_jsonl(folder_.path() / "out" / "records.jsonl").runs.at(0).results.size(),
            algorithm_count());
  EXPECT_EQ(code_of("inspect nofile"), 4);
}

TEST_F(BadOutput, FullStandardOutputIsNoSuccessButTheRecordsAreWhole) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  std::filesystem::create_symlink("/dev/full", folder_.path() / "stdout");
  Program program("verify sphere:8 --algorithms implicit_gemm --out out", folder_.path());
  while (program.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::filesystem::remove(folder_.path() / "stdout");  // it has no end to be read
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.code, 4);
  EXPECT_TRUE(contains(outcome.err, "standard output: cannot be written")) << outcome.err;
  EXPECT_TRUE(report::read_jsonl(folder_.path() / "out" / "records.jsonl").runs.at(0).summary);
}

TEST_F(BadOutput, AClosedStreamIsNoFile) {
  const std::string run = std::string(SPB_PROGRAM) +
                          " verify sphere:4 --algorithms implicit_gemm --directions fprop --out ";
  const struct {
    const char* closed;
    int code;
  } cases[] = {{"<&- >&- 2>&-", 4}, {">&- 2>&-", 4}, {">&-", 4}, {"<&- 2>&-", 0}};
  for (const auto& one : cases) {
    std::filesystem::remove_all(folder_ / "out");
    folder_.write("step.sh", run + "out " + one.closed + "\n");
    EXPECT_EQ(Program("/bin/sh", "step.sh", folder_.path()).wait().code, one.code) << one.closed;
    const report::JsonlFile file = report::read_jsonl(folder_.path() / "out" / "records.jsonl");
    EXPECT_EQ(file.runs.at(0).results.size(), 1u) << one.closed;
    EXPECT_TRUE(file.runs[0].summary) << one.closed;
  }
}

TEST_F(BadOutput, AFileAtTheLimitOfItsSizeIsAFullDisk) {
  folder_.write("step.sh", std::string("ulimit -f 16\n") + SPB_PROGRAM +
                               " verify sphere:4 --no-isolate --out out\n");
  const Outcome outcome = Program("/bin/sh", "step.sh", folder_.path()).wait();
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "error: out/records.jsonl: cannot write")) << outcome.err;
  const std::string rows = read(folder_.path() / "out" / "results.csv");
  EXPECT_TRUE(rows.ends_with('\n')) << rows;
}

}  // namespace
}  // namespace spb::cli
