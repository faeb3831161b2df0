// SPDX-License-Identifier: Apache-2.0
// run --shard and merge: however many shards, and whatever became of them, together they are the
// run that was not cut.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <thread>

#include "program.h"
#include "report/records/csv.h"
#include "report/records/fields.h"
#include "report/records/jsonl.h"
#include "report/records/read_records.h"
#include "report/summary/rank.h"

namespace spb::cli {
namespace {

namespace fs = std::filesystem;

/// Four problems.
const std::string kCases =
    " sphere:4 cube:3 --channels 4:8,2 --dtypes f32,f16 --directions fprop,wgrad --algorithms "
    "gather_scatter,masked_implicit_gemm --max-time 0.002 --min-samples 1 --llc-bytes 100000 ";

std::vector<std::string> stable_texts(const std::vector<Record>& rows) {
  std::vector<std::string> texts;
  for (const Record& row : rows) {
    std::string& text = texts.emplace_back();
    for (const report::Field& field : report::fields())
      if (!field.varies) text += report::to_text(row.value(field)) + "|";
  }
  return texts;
}

class Shard : public testing::Test {
 protected:
  std::string run(int index, int count, const std::string& more = "") const {
    return "run" + kCases + "--out sweep --shard " + std::to_string(index) + "/" +
           std::to_string(count) + more;
  }
  void run_all(int count) const {
    for (int index = 0; index < count; ++index) {
      const Outcome outcome = folder_.run(run(index, count));
      ASSERT_EQ(outcome.code, 0) << outcome.err;
    }
  }
  std::vector<Record> rows(const std::string& folder) const {
    return report::read_csv(folder_.path() / folder / "results.csv");
  }
  std::vector<Record> whole_run() const {
    const Outcome outcome = folder_.run("run" + kCases + "--out whole");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return rows("whole");
  }
  void expect_whole(const std::vector<Record>& whole) const {
    std::vector<Record> merged = rows("all");
    EXPECT_EQ(stable_texts(merged), stable_texts(whole));
    const std::vector<Record> written = merged;
    report::fill_rank(merged);
    for (size_t i = 0; i < merged.size(); ++i)
      EXPECT_EQ(written[i].number(columns::rank), merged[i].number(columns::rank));
  }
  fs::path records(int index, int count) const {
    return folder_.path() / "sweep" /
           ("shard-" + std::to_string(index) + "-of-" + std::to_string(count)) / "records.jsonl";
  }
  TemporaryFolder folder_;
};

TEST_F(Shard, AnyNumberOfThemMergesToTheRunThatWasNotCut) {
  const std::vector<Record> whole = whole_run();
  ASSERT_EQ(whole.size(), 4u * 2 * 2 * 2 * 5);
  for (const int count : {1, 2, 3, 7}) {
    SCOPED_TRACE(count);
    fs::remove_all(folder_.path() / "sweep");
    run_all(count);
    const Outcome merged = folder_.run("merge sweep -o all");
    ASSERT_EQ(merged.code, 0) << merged.err;
    expect_whole(whole);
    EXPECT_EQ(count_lines(merged.out), static_cast<size_t>(count) + 1) << merged.out;
  }
}

TEST_F(Shard, ContextSaysWhichAndTheAnchorComesFirst) {
  ASSERT_EQ(folder_.run(run(1, 3)).code, 0);
  std::vector<std::string> types;
  Record context, anchor;
  report::visit_jsonl(records(1, 3), [&](const report::JsonlLine& line) {
    types.push_back(line.type);
    if (line.type == "context") context = line.record;
    if (line.type == "anchor") anchor = line.record;
  });
  EXPECT_EQ(types.at(0), "context");
  EXPECT_EQ(types.at(1), "anchor");
  EXPECT_EQ(context.number_of("shard"), 1);
  EXPECT_EQ(context.number_of("shards"), 3);
  EXPECT_EQ(context.text_of("shard_plan_hash").size(), 64u);
  EXPECT_GT(anchor.number(columns::time_median_us).value_or(0), 0);
  if (SPB_ON_HOST) {
    EXPECT_EQ(anchor.text_of("case"), "sphere:16/subm-k3-s1-d1/c8x8/fprop/f32/explicit_gemm");
  }

  ASSERT_EQ(
      folder_
          .run("verify" + kCases.substr(0, kCases.find("--max-time")) + "--out proofs --shard 1/3")
          .code,
      0);
  EXPECT_FALSE(contains(read(folder_.path() / "proofs/shard-1-of-3/records.jsonl"), "anchor"))
      << "nothing is timed";
}

TEST_F(Shard, KilledAndResumedInAChildProcess) {
  const std::vector<Record> whole = whole_run();
  ASSERT_EQ(folder_.run(run(0, 2)).code, 0);
  Program program(run(1, 2, " --isolate"), folder_.path());
  while (program.is_running() && !contains(read(records(1, 2)), "case_end"))
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  program.send(SIGKILL);
  ASSERT_EQ(program.wait().code, 128 + SIGKILL);

  Outcome merged = folder_.run("merge sweep -o all");
  EXPECT_EQ(merged.code, 5) << merged.err;
  EXPECT_TRUE(contains(merged.err, "shard 1/2 has not ended ")) << merged.err;
  EXPECT_FALSE(fs::exists(folder_.path() / "all"));

  const Outcome resumed = folder_.run(run(1, 2, " --isolate --resume"));
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(contains(resumed.err, "of 16 cases are there")) << resumed.err;
  merged = folder_.run("merge sweep -o all");
  ASSERT_EQ(merged.code, 0) << merged.err;
  expect_whole(whole);
  EXPECT_EQ(folder_.run("report all -o page --no-plots").code, 0);
}

TEST_F(Shard, SharesAFolderWithOthersAtTheSameTimeButNotWithItself) {
  const std::vector<Record> whole = whole_run();
  TemporaryFolder beside;  // each program has its output in a folder of its own
  const std::string sweep = " --out " + (folder_.path() / "sweep").string();
  const std::string words = "run" + kCases + sweep + " --shard ";
  Program first(words + "0/2", folder_.path()), second(words + "1/2", beside.path());
  const Outcome of_first = first.wait(), of_second = second.wait();
  EXPECT_EQ(of_first.code, 0) << of_first.err;
  EXPECT_EQ(of_second.code, 0) << of_second.err;
  ASSERT_EQ(folder_.run("merge sweep -o all").code, 0);
  expect_whole(whole);

  const std::string hangs =
      "run cube:3 --channels 4 --directions fprop --algorithms right,hang --max-time 0.002 "
      "--min-samples 1 --llc-bytes 100000 --out stopped --shard 0/1";
  Program one(SPB_CRASHING_PROGRAM, hangs, folder_.path());
  const fs::path of_one = folder_.path() / "stopped/shard-0-of-1/records.jsonl";
  while (one.is_running() && !contains(read(of_one), "case_end"))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const Outcome again =
      beside.run("run cube:3 --out " + (folder_.path() / "stopped").string() + " --shard 0/1");
  EXPECT_EQ(again.code, 2) << again.err;
  EXPECT_TRUE(contains(again.err, "is written by process " + std::to_string(one.pid()) + " on "))
      << again.err;
  one.send(SIGKILL);
  one.wait();
}

TEST_F(Shard, ShardsOfTwoVersionsOfTheDataAreNotMerged) {
  folder_.write("scan.xyz", "0 0 0\n1 0 0\n1 1 0\n2 1 1\n");
  const std::string words =
      "run scan.xyz --voxel-size 1 --channels 4,8 --directions fprop --dtypes f32 --algorithms "
      "gather_scatter --max-time 0.002 --min-samples 1 --llc-bytes 100000 --out sweep --shard ";
  for (const char* shard : {"0/2", "1/2"}) {
    ASSERT_EQ(folder_.run(words + shard).code, 0);
    folder_.write("scan.xyz", "0 0 0\n1 0 0\n1 1 0\n2 2 2\n");
  }
  const Outcome refused = folder_.run("merge sweep -o all");
  EXPECT_EQ(refused.code, 2) << refused.err;
  EXPECT_EQ(count_lines(refused.err), 1u) << refused.err;
  EXPECT_TRUE(contains(refused.err, "shard-1-of-2: ") &&
              contains(refused.err, "two versions of scan.xyz"))
      << refused.err;
  EXPECT_FALSE(fs::exists(folder_.path() / "all"));
}

TEST_F(Shard, AMissingOneIsNamedAndLeftOutOnRequestAlone) {
  ASSERT_EQ(folder_.run(run(0, 2)).code, 0);
  Outcome merged = folder_.run("merge sweep -o all");
  EXPECT_EQ(merged.code, 5);
  EXPECT_TRUE(contains(merged.err, "shard 1/2 is missing: 16 cases")) << merged.err;
  EXPECT_TRUE(contains(merged.err, "--partial")) << merged.err;
  EXPECT_FALSE(fs::exists(folder_.path() / "all"));
  merged = folder_.run("merge sweep -o all --partial");
  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_TRUE(contains(merged.err, "shard 1/2 is missing: 16 cases")) << merged.err;
  EXPECT_EQ(rows("all").size(), 16u * 5);
}

TEST_F(Shard, UnlikeOnesAreRefused) {
  run_all(2);
  std::string text = read(records(1, 2));
  const std::string device = R"("gpu_name":")";
  for (size_t at = 0; (at = text.find(device, at)) != std::string::npos;) {
    at += device.size();
    text.insert(at, "other ");
  }
  folder_.write(fs::relative(records(1, 2), folder_.path()).string(), text);
  const Outcome refused = folder_.run("merge sweep -o all");
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(count_lines(refused.err), 1u) << refused.err;
  EXPECT_TRUE(contains(refused.err, "--allow-mismatch gpu")) << refused.err;
  EXPECT_EQ(folder_.run("merge sweep -o all --allow-mismatch gpu").code, 0);
  EXPECT_EQ(folder_.run("merge sweep -o all --allow-mismatch moon").code, 2);
}

TEST_F(Shard, ASlowDeviceIsWarnedOf) {
  run_all(2);
  const std::string time = R"("time_median_us":)";
  std::string text = read(records(1, 2));
  const size_t at = text.find(time, text.find(R"("type":"anchor")")) + time.size();
  text.insert(at, "9");  // at least 10 times as long
  folder_.write(fs::relative(records(1, 2), folder_.path()).string(), text);
  const Outcome merged = folder_.run("merge sweep -o all");
  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_TRUE(contains(merged.err, "warning: the anchor took ")) << merged.err;
}

TEST_F(Shard, FailuresMakeTheExitCodeOfTheMerge) {
  const std::string words =
      "run sphere:4 cube:3 --channels 4 --directions fprop --algorithms right,abort --isolate "
      "--max-time 0.002 --min-samples 1 --llc-bytes 100000 --out sweep --shard ";
  for (const char* shard : {"0/2", "1/2"})
    EXPECT_EQ(Program(SPB_CRASHING_PROGRAM, words + shard, folder_.path()).wait().code, 4);
  const Outcome merged = folder_.run("merge sweep -o all");
  EXPECT_EQ(merged.code, 4) << merged.err;
  EXPECT_EQ(rows("all").size(), 2u * (5 + 1));
}

TEST_F(Shard, TuneTakesItsPartOfTheCases) {
  const std::string words =
      "tune sphere:4 cube:3 --channels 4 --dtypes f32 --directions fprop --algorithms "
      "gather_scatter --tuning tuned.json --shard ";
  std::string data;
  for (const char* shard : {"0/2", "1/2"}) {
    const Outcome outcome = folder_.run(words + shard);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "1 of 2 cases")) << outcome.err;
    EXPECT_NE(contains(outcome.out, "sphere:4"), contains(outcome.out, "cube:3")) << outcome.out;
    data += outcome.out;
  }
  EXPECT_TRUE(contains(data, "sphere:4") && contains(data, "cube:3")) << data;
}

TEST_F(Shard, MistakesAreNamed) {
  for (const char* bad : {"4/4", "1", "x/2"}) {
    const Outcome outcome = folder_.run("run" + kCases + "--out sweep --shard " + bad);
    EXPECT_EQ(outcome.code, 2) << bad;
    EXPECT_TRUE(contains(outcome.err, "is no shard I/N")) << outcome.err;
  }
  const Outcome nowhere = folder_.run("run" + kCases + "--shard 0/2");
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_TRUE(contains(nowhere.err, "--out")) << nowhere.err;
  EXPECT_EQ(folder_.run("merge nothing -o all").code, 4);
  fs::create_directory(folder_.path() / "empty");
  const Outcome empty = folder_.run("merge empty -o all");
  EXPECT_EQ(empty.code, 5);
  EXPECT_EQ(count_lines(empty.err), 1u) << empty.err;
}

}  // namespace
}  // namespace spb::cli
