// SPDX-License-Identifier: Apache-2.0
// run --plugin: algorithms of a shared library are judged, timed and recorded as the program's own.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "program.h"
#include "report/records/jsonl.h"

namespace spb::cli {
namespace {

constexpr const char* kFaulty = "--plugin " SPB_FAULTY_PLUGIN " --algorithms faults:";

class Plugin : public testing::Test {
 protected:
  report::RunRecords records() const {
    return report::read_jsonl(folder_.path() / "out" / "records.jsonl").runs.at(0);
  }
  /// The only row of `verify` of an algorithm that is wrong on purpose.
  Record row_of(const std::string& algorithm, int code, const std::string& more = "") const {
    std::filesystem::remove_all(folder_.path() / "out");
    const Outcome outcome = folder_.run(
        "verify sphere:8 --channels 5:7 --dtypes f32 --directions fprop --shapes off --out out " +
        (kFaulty + algorithm) + more);
    EXPECT_EQ(outcome.code, code) << algorithm << ": " << outcome.err;
    return records().results.at(0);
  }
  TemporaryFolder folder_;
};

TEST_F(Plugin, IsListed) {
  const Outcome outcome = folder_.run("list algorithms --plugin " SPB_EXAMPLE_PLUGIN);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.out, "example:gather "));
  EXPECT_TRUE(contains(outcome.out, "\nauto "));
}

TEST_F(Plugin, IsVerifiedTimedAndAccountedFor) {
  const Outcome outcome = folder_.run(
      "run sphere:6 --channels 5:7 --dtypes f32 --directions all --conv-kind "
      "strided,inverse,generative --kernel-size 3 --stride 2 --max-time 0.01 --min-samples 1 "
      "--runs 1,4 --out out --plugin " SPB_EXAMPLE_PLUGIN
      " --algorithms example:gather,implicit_gemm");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const report::RunRecords run = records();
  EXPECT_TRUE(contains(run.context.text_of("plugins"), "example 1.0 "));
  std::set<std::string> phases;
  for (const Record& row : run.results) {
    if (row.text(columns::algorithm) != "example:gather") continue;
    const std::string id = row.text(columns::case_id);
    phases.insert(row.text(columns::phase));
    EXPECT_EQ(row.text(columns::status), "ok") << id;
    EXPECT_EQ(row.text(columns::map_status), "pass") << id;
    EXPECT_EQ(row.text(columns::kernel), "one_thread_per_output") << id;
    EXPECT_EQ(row.text(columns::arithmetic_class), "f32") << id;
    EXPECT_EQ(row.get(columns::run_alloc_count), 0) << id;
    EXPECT_EQ(row.get(columns::leak_bytes), 0) << id;
    EXPECT_GT(row.get(columns::persistent_bytes).value_or(0), 0) << id << ": its maps";
    EXPECT_TRUE(contains(row.text(columns::repro), "--plugin " SPB_EXAMPLE_PLUGIN)) << id;
  }
  EXPECT_EQ(phases, (std::set<std::string>{"kernel", "end_to_end", "plan", "map_build", "step"}));
}

TEST_F(Plugin, StandsAmongAll) {
  const Outcome outcome = folder_.run(
      "verify sphere:4 --channels 4:8 --dtypes f32 --shapes off --out out "
      "--plugin " SPB_EXAMPLE_PLUGIN "," SPB_FAULTY_PLUGIN);
  std::set<std::string> names;
  for (const Record& row : records().results) names.insert(row.text(columns::algorithm));
  for (const char* name : {"example:gather", "faults:right", "implicit_gemm"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST_F(Plugin, IsCaughtWhereItIsWrong) {
  EXPECT_EQ(row_of("right", 0).text(columns::status), "ok");
  EXPECT_EQ(row_of("sums_in_workspace", 0).text(columns::status), "ok");
  EXPECT_EQ(row_of("out_last", 0).text(columns::status), "ok");
  const std::pair<const char*, const char*> kWrong[] = {
      {"wrong", "1 of"},          {"turned", "of"},    {"writes_past", "guard"},
      {"writes_inputs", "input"}, {"remembers", "of"}, {"changes_kept", "plan"}};
  for (const auto& [algorithm, words] : kWrong) {
    const Record row = row_of(algorithm, 1);
    EXPECT_EQ(row.text(columns::status), "incorrect") << algorithm;
    EXPECT_TRUE(contains(row.text(columns::status_detail), words))
        << algorithm << ": " << row.text(columns::status_detail);
  }
}

// A library that asks for no map makes it from what it is told of coords and geometry.
TEST_F(Plugin, MakesItsOwnMaps) {
  for (const char* layer :
       {"", " --batch-copies 2", " --kernel-size 3x1x5 --dilation 2",
        " --conv-kind strided,inverse,generative --kernel-size 2,3 --stride 2",
        " --conv-kind strided,inverse,generative --kernel-size 3 --stride 2x1x3 --padding 1x0x1"}) {
    std::filesystem::remove_all(folder_.path() / "out");
    const Outcome outcome = folder_.run(
        "verify sphere:6 --channels 3:2 --dtypes f32 --directions fprop --shapes off --out out " +
        (kFaulty + std::string("own_maps") + layer));
    EXPECT_EQ(outcome.code, 0) << layer << outcome.err;
    for (const Record& row : records().results) {
      EXPECT_EQ(row.text(columns::status), "ok")
          << row.text(columns::case_id) << row.text(columns::status_detail);
      EXPECT_EQ(row.text(columns::map_status), "not_run") << row.text(columns::case_id);
    }
  }
}

TEST_F(Plugin, SaysItsArithmetic) {
  EXPECT_EQ(row_of("half_sums", 0).text(columns::arithmetic_class), "f32+partials=f16");
}

TEST_F(Plugin, SaysWhyItFails) {
  const std::pair<const char*, const char*> kFailing[] = {
      {"plan_fails", "faults:plan_fails: plan: no plan today"},
      {"run_fails", "faults:run_fails: run: no run today"},
      {"odd_partials", "dtype \"f61\" is unknown"}};
  for (const auto& [algorithm, words] : kFailing) {
    const Record row = row_of(algorithm, 4);
    EXPECT_EQ(row.text(columns::status), "error") << algorithm;
    EXPECT_TRUE(contains(row.text(columns::status_detail), words))
        << algorithm << ": " << row.text(columns::status_detail);
  }
  EXPECT_EQ(row_of("no_memory", 4).text(columns::status), "oom");
  const Record crashed = row_of("crashes", 4, " --isolate");
  EXPECT_EQ(crashed.text(columns::status), "error");
  EXPECT_TRUE(contains(crashed.text(columns::status_detail), "signal 6"));
}

TEST_F(Plugin, CountsAllocationsOfRuns) {
  const Outcome outcome = folder_.run(
      "run sphere:4 --channels 4:8 --dtypes f32 --directions fprop --max-time 0.002 "
      "--min-samples 1 --llc-bytes 100000 --out out " +
      std::string(kFaulty) + "allocates");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(records().results.at(0).get(columns::run_alloc_count), 1);
}

TEST_F(Plugin, IsRefusedInOneLine) {
  const std::pair<std::string, std::pair<int, const char*>> kRefused[] = {
      {"--plugin absent.so", {4, "absent.so: "}},
      {"--plugin " SPB_EXAMPLE_PLUGIN "," SPB_EXAMPLE_PLUGIN, {2, "are both called example"}},
      {"--plugin " SPB_EXAMPLE_PLUGIN " --algorithms example:gathr",
       {2, R"(did you mean "example:gather")"}}};
  for (const auto& [words, expected] : kRefused) {
    const Outcome outcome = folder_.run("verify sphere:4 " + words);
    EXPECT_EQ(outcome.code, expected.first) << words;
    EXPECT_TRUE(contains(outcome.err, expected.second)) << outcome.err;
    EXPECT_EQ(count_lines(outcome.err), 1u) << outcome.err;
  }
}

TEST_F(Plugin, ThatChangedIsNotResumed) {
  const std::filesystem::path copy = folder_.path() / "mine.so";
  std::filesystem::copy_file(SPB_EXAMPLE_PLUGIN, copy);
  const std::string words =
      "run sphere:4 --channels 4:8 --dtypes f32 --max-time 0.002 --min-samples 1 "
      "--llc-bytes 100000 --algorithms example:gather --plugin mine.so --resume --out out";
  ASSERT_EQ(folder_.run(words).code, 0);
  EXPECT_TRUE(contains(folder_.run(words).err, "resuming: 3 of 3 cases are there"));
  std::ofstream(copy, std::ios::app) << "another build";
  const Outcome outcome = folder_.run(words);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "config_hash")) << outcome.err;
}

}  // namespace
}  // namespace spb::cli
