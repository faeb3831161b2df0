// SPDX-License-Identifier: Apache-2.0
// `tune`, what `run` makes of it, and `list tuning`.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/resource.h>

#include "program.h"
#include "report/records/jsonl.h"

namespace spb::cli {
namespace {

using nlohmann::json;

constexpr const char* kTuned =
    "sphere:8 --algorithms masked_implicit_gemm_splitk,gather_scatter --directions fprop "
    "--dtypes f16 --channels 16 ";

class TuneCommand : public testing::Test {
 protected:
  /// A tuning file `name` of this machine for kTuned.
  void tune(const std::string& name) {
    const Outcome outcome = folder_.run("tune " + (kTuned + ("--tuning " + name)));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  json file(const std::string& name) const { return json::parse(read(folder_ / name)); }
  std::vector<Record> rows(const std::string& options, const std::string& out) const {
    const Outcome outcome = folder_.run(
        "run " + (kTuned + ("--max-time 0.05 --llc-bytes 1000000 --out " + out + " ")) + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    last_err_ = outcome.err;
    return report::read_jsonl(folder_ / (out + "/records.jsonl")).runs.at(0).results;
  }
  const TemporaryFolder folder_;
  mutable std::string last_err_;
};

TEST_F(TuneCommand, KeepsWinnersAndLosersWithSamples) {
  tune("t.json");
  const json all = file("t.json");
  ASSERT_EQ(all.at("entries").size(), 2u);
  bool has_losers = false;
  for (const json& entry : all.at("entries")) {
    EXPECT_EQ(entry.at("dataset"), "sphere:8");
    EXPECT_GT(entry.at("tune_ms"), 0);
    ASSERT_GE(entry.at("winner"), 0);
    has_losers = has_losers || entry.at("candidates").size() > 1;
    for (const json& candidate : entry.at("candidates"))
      EXPECT_GE(candidate.at("samples_us").size(), 3u) << "of seven, where runs are slow";
  }
  EXPECT_TRUE(has_losers);
}

TEST_F(TuneCommand, SaysWhatWonAndWhereThereWasNothingToChoose) {
  const Outcome outcome = folder_.run(std::string("tune ") + kTuned);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "gather_scatter")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "; nothing to choose")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "candidates")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "wrote ")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "cache/spconv-bench/tuning-")) << "the default place";
  EXPECT_TRUE(contains(outcome.out, "winner"));
  EXPECT_EQ(count_lines(outcome.out), 3u) << outcome.out;
}

// The file is made to name another split than the plan's own.
TEST_F(TuneCommand, RunTakesTheWinnerAndSaysWhy) {
  tune("t.json");
  json changed = file("t.json");
  for (json& entry : changed.at("entries")) {
    if (entry.at("algorithm") != "masked_implicit_gemm_splitk") continue;
    json winner = entry.at("candidates").at(0);
    winner["choice"] = {{"kernel", "fma_64x32x32"}, {"split", "7"}};
    winner["status"] = "ok";
    entry.at("candidates").push_back(winner);
    entry["winner"] = entry.at("candidates").size() - 1;
    entry["tune_ms"] = 1234.5;
  }
  folder_.write("changed.json", changed.dump());

  int tuned = 0;
  for (const Record& row : rows("--tuning changed.json", "with")) {
    EXPECT_EQ(row.text(columns::variant_source), "tuned");
    EXPECT_TRUE(row.text(columns::repro).ends_with(" --tuning changed.json"));
    if (row.text(columns::algorithm) != "masked_implicit_gemm_splitk") continue;
    EXPECT_TRUE(contains(row.text(columns::algorithm_params), "\"split\":7,"));
    EXPECT_EQ(std::get<double>(row.value(columns::tune_ms)), 1234.5);
    ++tuned;
  }
  EXPECT_GE(tuned, 3) << "every phase";
  // In a child process, too.
  for (const Record& row : rows("--isolate --tuning changed.json", "isolated"))
    EXPECT_EQ(row.text(columns::variant_source), "tuned");

  for (const Record& row : rows("--tuning off", "without")) {
    EXPECT_EQ(row.text(columns::variant_source), "heuristic");
    EXPECT_FALSE(contains(row.text(columns::algorithm_params), "\"split\":7,"));
    EXPECT_TRUE(std::holds_alternative<std::monostate>(row.value(columns::tune_ms)));
  }
  int forced = 0;
  for (const Record& row : rows("--tuning changed.json --kernel fma_64x64x32", "forced")) {
    if (row.text(columns::status) != "ok") continue;
    EXPECT_EQ(row.text(columns::kernel), "fma_64x64x32");
    EXPECT_EQ(row.text(columns::variant_source), "forced");
    ++forced;
  }
  EXPECT_GE(forced, 3) << "every phase of one case at least";
  // What sorts no rows is refused, whoever won.
  for (const Record& row : rows("--tuning changed.json --tile-order plain", "sorted"))
    EXPECT_EQ(row.text(columns::status) == "unsupported",
              row.text(columns::algorithm) == "gather_scatter");
}

TEST_F(TuneCommand, RunReadsTheDefaultFileUnlessOff) {
  for (const Record& row : rows("", "before"))
    EXPECT_EQ(row.text(columns::variant_source), "heuristic");
  ASSERT_EQ(folder_.run(std::string("tune ") + kTuned).code, 0);
  for (const Record& row : rows("", "after")) EXPECT_EQ(row.text(columns::variant_source), "tuned");
  for (const Record& row : rows("--tuning off", "off"))
    EXPECT_EQ(row.text(columns::variant_source), "heuristic");
  // Of another class: four times the voxels.
  const Outcome other = folder_.run(
      "verify sphere:16 --algorithms gather_scatter --directions "
      "fprop --dtypes f16 --channels 16 --out other");
  EXPECT_EQ(other.code, 0) << other.err;
  EXPECT_EQ(report::read_jsonl(folder_ / "other/records.jsonl")
                .runs.at(0)
                .results.at(0)
                .text(columns::variant_source),
            "heuristic");
}

TEST_F(TuneCommand, EntriesOfOtherMachinesAreIgnoredInOneLine) {
  tune("t.json");
  for (const auto& [key, value, said] :
       {std::tuple("device", "Another GPU", "device Another GPU, here "),
        {"driver", "1.0", "driver 1.0, here "},
        {"tool_version", "9.9", "version 9.9, here "}}) {
    json changed = file("t.json");
    for (json& entry : changed.at("entries")) entry[key] = value;
    folder_.write("other.json", changed.dump());
    for (const Record& row : rows("--tuning other.json", std::string("of_") + key))
      EXPECT_EQ(row.text(columns::variant_source), "heuristic");
    EXPECT_TRUE(contains(last_err_, std::string("tuning: 2 of 2 entries ignored: ") + said))
        << last_err_;
    EXPECT_EQ(last_err_.find("ignored"), last_err_.rfind("ignored"));
    EXPECT_TRUE(
        contains(folder_.run("list tuning --tuning other.json").out, std::string("no: ") + said));
  }
}

TEST_F(TuneCommand, CorruptFilesAreOneLineAndExitCode4) {
  folder_.write("bad.json", "{\"type\":");
  for (const std::string& command :
       {std::string("tune ") + kTuned, std::string("run ") + kTuned, std::string("list tuning ")}) {
    const Outcome outcome = folder_.run(command + " --tuning bad.json");
    EXPECT_EQ(outcome.code, 4) << command;
    EXPECT_TRUE(contains(outcome.err,
                         "bad.json: is no file of spconv-bench tune: it is no JSON; move it away"))
        << outcome.err;
    EXPECT_EQ(count_lines(outcome.err), 1u) << outcome.err;
  }
  EXPECT_EQ(read(folder_ / "bad.json"), "{\"type\":") << "nothing is overwritten";
  EXPECT_EQ(folder_.run(std::string("run ") + kTuned + " --tuning missing.json").code, 4);
}

TEST_F(TuneCommand, LikeProblemsAreTunedOnce) {
  const Outcome outcome = folder_.run(
      "tune sphere:16 --row-order lex,z --algorithms gather_scatter --directions fprop --dtypes "
      "f16 --channels 16 --tuning t.json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "is of the class of sphere:16, tuned before")) << outcome.err;
  EXPECT_EQ(file("t.json").at("entries").size(), 1u);
}

TEST_F(TuneCommand, ListExplains) {
  const Outcome nothing = folder_.run("list tuning");
  EXPECT_EQ(nothing.code, 0);
  EXPECT_TRUE(contains(nothing.err, "nothing is tuned: spconv-bench tune would write"));
  tune("t.json");
  const Outcome outcome = folder_.run("list tuning --tuning t.json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(count_lines(outcome.out), 3u);
  EXPECT_TRUE(contains(outcome.out, "masked_implicit_gemm_splitk")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, " yes")) << outcome.out;
  EXPECT_TRUE(contains(outcome.err, "run and verify take the winner")) << outcome.err;
}

TEST_F(TuneCommand, CountsPlansForSoManyRuns) {
  const Outcome outcome =
      folder_.run("tune " + (kTuned + std::string("--runs 50 --tuning t.json")));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const json all = file("t.json");
  bool has_greedy = false;
  for (const json& entry : all.at("entries")) {
    EXPECT_EQ(entry.at("runs"), 50);
    for (const json& candidate : entry.at("candidates")) {
      EXPECT_GT(candidate.at("plan_us"), 0);
      has_greedy |= candidate.at("choice").value("tile_order", "") == "greedy";
    }
  }
  EXPECT_TRUE(has_greedy);
  EXPECT_TRUE(contains(folder_.run("list tuning --tuning t.json").out, "for 50 runs a plan"));
  for (const char* runs : {"0", "-1", "1.5", "many"})
    EXPECT_EQ(folder_.run(std::string("tune sphere:8 --runs ") + runs).code, 2) << runs;
}

TEST_F(TuneCommand, BudgetKeepsWhatIsTuned) {
  const Outcome outcome =
      folder_.run("tune " + (kTuned + std::string("--budget 0.000001 --tuning t.json")));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "cases are not tuned")) << outcome.err;
  EXPECT_LE(file("t.json").at("entries").size(), 1u);
}

TEST_F(TuneCommand, WinRatesAreAmongLikeEntries) {
  tune("t.json");
  const auto lines = [&](const std::string& name) {
    return count_lines(folder_.run("list tuning --win-rates --tuning " + name).out);
  };
  EXPECT_GT(lines("t.json"), 1u) << "two algorithms compete";
  for (const auto& [key, value] : {std::pair<const char*, json>("groups", 16),
                                   {"runs", 50},
                                   {"driver", "1.0"},
                                   {"tool_version", "9.9"}}) {
    json changed = file("t.json");
    changed.at("entries").at(0)[key] = value;
    folder_.write("changed.json", changed.dump());
    EXPECT_LE(lines("changed.json"), 1u) << key;
  }
}

TEST_F(TuneCommand, ACaseWithoutDataIsALineAndTheOthersAreTuned) {
  folder_.write("points.xyz", "0 0 0\n1 1 1\n");
  const Outcome outcome = folder_.run("tune points.xyz " + std::string(kTuned));
  EXPECT_EQ(outcome.code, 2) << "as run says; " << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "--voxel-size: missing")) << outcome.err;
  EXPECT_EQ(count_lines(outcome.out), 3u) << outcome.out;
}

TEST_F(TuneCommand, AHostWithoutMemoryEndsACaseNotTheTable) {
  if (!SPB_ON_HOST || SPB_SANITIZED) GTEST_SKIP() << "needs more addresses than it may be lent";
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  const rlimit small{rlim_t{1} << 29, before.rlim_max};
  setrlimit(RLIMIT_AS, &small);
  const Outcome outcome = folder_.run("tune sphere:2000 " + std::string(kTuned));
  setrlimit(RLIMIT_AS, &before);
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "memory is exhausted")) << outcome.err;
  EXPECT_EQ(count_lines(outcome.out), 3u) << outcome.out;
}

TEST_F(TuneCommand, RefusesWhatItCannotDo) {
  EXPECT_EQ(folder_.run(std::string("tune --mode some ") + kTuned).code, 2);
  EXPECT_EQ(folder_.run("tune nothing.here").code, 4);
  EXPECT_EQ(folder_.run(std::string("tune --tuning /proc/t.json ") + kTuned).code, 4);
}

}  // namespace
}  // namespace spb::cli
