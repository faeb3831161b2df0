// SPDX-License-Identifier: Apache-2.0
// The shards of a sweep as one run, from files that this test makes up.
#include "report/records/merge_shards.h"

#include <algorithm>

#include "core/error.h"
#include "report/has.h"
#include "report/records/csv.h"
#include "report/records/jsonl.h"
#include "report/records/read_records.h"
#include "report/samples.h"

namespace spb::report {
namespace {

namespace fs = std::filesystem;

/// Two shards with two cases each, 0 and 1 dealt in turns.
const ShardPlan kPlan{2, {{0, "a"}, {1, "b"}, {0, "c"}, {1, "d"}}};

/// A run of a shard as it is written.
struct Written {
  Shard shard;
  std::vector<std::string> cases;  ///< that it ended
  std::string run_id = "run" + std::to_string(shard.index);
  double anchor_us = 100;
  std::map<std::string, std::string> context = {};
};

class MergeShards : public ReportTest {
 protected:
  fs::path folder_of(const Shard& shard) const { return folder_ / "sweep" / folder_name(shard); }

  void add(const Written& run, const ShardPlan& plan = kPlan) const {
    Record context;
    context[columns::schema_version] = kSchemaVersion;
    context[columns::run_id] = run.run_id;
    context[columns::config_hash] = "hash";
    context[columns::git_sha] = "sha";
    context[columns::gpu_name] = "GPU";
    context[columns::driver_version] = "1";
    context.named("shard") = int64_t{run.shard.index};
    context.named("shards") = int64_t{run.shard.count};
    for (const auto& [name, value] : run.context) context.named(name) = value;
    JsonlWriter file(folder_of(run.shard) / "records.jsonl", context);
    write(folder_of(run.shard) / kShardPlanFile, plan_text(plan));
    Record anchor;
    anchor.named("case") = "anchor";
    if (run.anchor_us > 0) anchor[columns::time_median_us] = run.anchor_us;
    file.append("anchor", anchor);
    for (const std::string& name : run.cases) {
      for (const char* algorithm : {"slow", "fast"}) {
        Record row = sample_row(algorithm, std::string_view(algorithm) == "slow" ? 20 : 10);
        row[columns::run_id] = run.run_id;
        row[columns::case_id] = name + "/" + algorithm;
        row[columns::dataset] = name;
        file.append(row);
      }
      file.end_case(name);
    }
    file.finish({});
  }
  void add_both() const {
    add({.shard = {0, 2}, .cases = {"a", "c"}});
    add({.shard = {1, 2}, .cases = {"b", "d"}});
  }
  ShardRuns shards() const { return read_shards(folder_ / "sweep"); }
  static std::vector<std::string> data_of(const std::vector<Record>& rows) {
    std::vector<std::string> names;
    for (const Record& row : rows) names.push_back(row.text(columns::dataset));
    return names;
  }
  static std::string refusal(const std::function<void()>& act, ExitCode code) {
    try {
      act();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "not refused";
    return {};
  }
};

TEST_F(MergeShards, RowsComeInTheOrderOfThePlanAndAreRanked) {
  add_both();
  const ShardRuns all = shards();
  EXPECT_TRUE(all.missing.empty() && all.unended.empty());
  const std::vector<Record> rows = merged_rows(all);
  EXPECT_EQ(data_of(rows), (std::vector<std::string>{"a", "a", "b", "b", "c", "c", "d", "d"}));
  for (const Record& row : rows)
    EXPECT_EQ(row.number(columns::rank), row.text(columns::algorithm) == "fast" ? 1 : 2);
}

TEST_F(MergeShards, WhatIsWrittenReadsAsTheSameRows) {
  add_both();
  const ShardRuns all = shards();
  write_merged(folder_ / "all", all);
  const RecordSet set = read_records(folder_ / "all" / "records.jsonl");
  EXPECT_EQ(set.contexts.size(), 2u);
  EXPECT_EQ(set.summaries.size(), 2u);
  EXPECT_EQ(data_of(set.rows), (std::vector<std::string>{"a", "a", "c", "c", "b", "b", "d", "d"}));
  const std::vector<Record> csv = read_csv(folder_ / "all" / "results.csv"),
                            rows = merged_rows(all);
  ASSERT_EQ(csv.size(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(csv_row(csv[i]), csv_row(rows[i]));
  EXPECT_FALSE(fs::exists(folder_ / "all" / "samples.csv"));
  EXPECT_FALSE(fs::exists(folder_ / "all" / "records.jsonl.tmp"));

  const std::string once = content(folder_ / "all" / "records.jsonl");
  write_merged(folder_ / "all", all);
  EXPECT_EQ(content(folder_ / "all" / "records.jsonl"), once);
}

TEST_F(MergeShards, AnotherRunIsNotReplaced) {
  add_both();
  fs::create_directories(folder_ / "all");
  fs::copy(folder_of({0, 2}) / "records.jsonl", folder_ / "all" / "records.jsonl");
  EXPECT_TRUE(has(refusal([&] { write_merged(folder_ / "all", shards()); }, ExitCode::usage),
                  "no merge of these shards"));
  fs::remove(folder_ / "all" / "records.jsonl");
  write_merged(folder_ / "all", shards());
  for (int index = 0; index < 2; ++index) {
    fs::remove_all(folder_of({index, 2}));
    add({.shard = {index, 2}, .cases = {}, .context = {{"config_hash", "other"}}});
  }
  refusal([&] { write_merged(folder_ / "all", shards()); }, ExitCode::usage);
}

TEST_F(MergeShards, GapsAreNamed) {
  add({.shard = {1, 2}, .cases = {"d"}});
  fs::create_directories(folder_of({0, 2}));  // killed before its first line
  const ShardRuns all = shards();
  EXPECT_EQ(all.missing, (std::vector<Shard>{{0, 2}}));
  EXPECT_EQ(all.unended, (std::vector<PlannedCase>{{1, "b"}}));
  EXPECT_EQ(data_of(merged_rows(all)), (std::vector<std::string>{"d", "d"}));
}

TEST_F(MergeShards, RowsOfACaseThatNeverEndedAreLeftOut) {
  add_both();
  const fs::path path = folder_of({1, 2}) / "records.jsonl";
  std::string text = content(path);
  text.resize(text.find(R"({"type":"case_end","case":"d"})"));
  write(path, text + R"({"type":"resul)");
  const ShardRuns all = shards();
  EXPECT_EQ(all.unended, (std::vector<PlannedCase>{{1, "d"}}));
  EXPECT_EQ(all.notes.size(), 1u);
  EXPECT_EQ(merged_rows(all).size(), 6u);
}

TEST_F(MergeShards, OfSeveralRunsTheOneThatEndedMostCounts) {
  add({.shard = {0, 2}, .cases = {"a", "c"}});
  add({.shard = {1, 2}, .cases = {"b"}, .run_id = "killed"});
  add({.shard = {1, 2}, .cases = {"b", "d"}, .run_id = "first"});
  add({.shard = {1, 2}, .cases = {"b", "d"}, .run_id = "last"});
  add({.shard = {1, 2}, .cases = {"d"}, .run_id = "begun"});
  const ShardRuns all = shards();
  EXPECT_EQ(all.runs.at(1).contexts.front().text(columns::run_id), "last");
  EXPECT_EQ(merged_rows(all).size(), 8u);
}

TEST_F(MergeShards, ARunThatWentOnIsOne) {
  add({.shard = {0, 2}, .cases = {"a"}, .anchor_us = 100});
  add({.shard = {0, 2}, .cases = {"c"}, .anchor_us = 104});
  add({.shard = {1, 2}, .cases = {"b", "d"}});
  const ShardRuns all = shards();
  EXPECT_EQ(all.runs.at(0).contexts.size(), 2u);
  EXPECT_TRUE(all.unended.empty());
  EXPECT_EQ(anchor_us(all.runs.at(0)), 102);
  write_merged(folder_ / "all", all);
  EXPECT_EQ(read_records(folder_ / "all" / "records.jsonl").rows.size(), 8u);
}

TEST_F(MergeShards, UnlikeShardsAreRefusedUnlessAllowed) {
  const std::vector<std::pair<std::string, std::string>> kUnlike{{"git_sha", "git_sha"},
                                                                 {"driver_version", "driver"},
                                                                 {"gpu_name", "gpu"},
                                                                 {"clock_policy", "clock_policy"}};
  for (const auto& [column, condition] : kUnlike) {
    SCOPED_TRACE(column);
    fs::remove_all(folder_ / "sweep");
    add({.shard = {0, 2}, .cases = {"a", "c"}, .context = {{column, "one"}}});
    add({.shard = {1, 2}, .cases = {"b", "d"}, .context = {{column, "two"}}});
    const std::string why = refusal([&] { check_alike(shards(), {}); }, ExitCode::usage);
    EXPECT_TRUE(has(why, "shard-1-of-2") && has(why, "one / two")) << why;
    EXPECT_TRUE(has(why, "--allow-mismatch " + condition)) << why;
    EXPECT_NO_THROW(check_alike(shards(), {condition}));
    EXPECT_TRUE(std::ranges::count(shard_conditions(), condition));
  }
}

TEST_F(MergeShards, OtherOptionsAreNeverMerged) {
  add({.shard = {0, 2}, .cases = {"a", "c"}});
  add({.shard = {1, 2}, .cases = {"b", "d"}, .context = {{"config_hash", "other"}}});
  const std::vector<std::string> names = shard_conditions();
  const std::string why = refusal(
      [&] {
        check_alike(shards(), {names.begin(), names.end()});
      },
      ExitCode::usage);
  EXPECT_TRUE(has(why, "config_hash hash / other")) << why;
}

TEST_F(MergeShards, AnotherPlanOrCutIsRefused) {
  add({.shard = {0, 2}, .cases = {"a"}});
  add({.shard = {1, 2}, .cases = {"b"}}, {2, {{0, "a"}, {1, "b"}}});
  EXPECT_TRUE(has(refusal([&] { shards(); }, ExitCode::usage), kShardPlanFile));
  fs::remove_all(folder_of({1, 2}));
  add({.shard = {1, 3}, .cases = {"b"}});
  EXPECT_TRUE(has(refusal([&] { shards(); }, ExitCode::usage), "2 and of 3 shards"));
}

TEST_F(MergeShards, FoldersThatAreNoShardsAreNamed) {
  refusal([&] { shards(); }, ExitCode::runtime);
  fs::create_directories(folder_ / "sweep" / "logs");
  refusal([&] { shards(); }, ExitCode::nothing);
  add({.shard = {0, 2}, .cases = {"a"}});
  fs::rename(folder_of({0, 2}), folder_of({1, 2}));
  EXPECT_TRUE(has(refusal([&] { shards(); }, ExitCode::runtime), "--shard 1/2"));
}

TEST_F(MergeShards, AnchorsAreRelativeToTheFastest) {
  add({.shard = {0, 2}, .cases = {"a", "c"}, .anchor_us = 105});
  add({.shard = {1, 2}, .cases = {"b", "d"}, .anchor_us = 100});
  const auto rel = anchors_rel(shards());
  EXPECT_DOUBLE_EQ(rel.at(0).value(), 105.0 / 100 - 1);
  EXPECT_DOUBLE_EQ(rel.at(1).value(), 0);
  write_merged(folder_ / "all", shards());
  EXPECT_TRUE(
      has(content(folder_ / "all" / "records.jsonl"), R"("type":"merge","anchor_rel":0.05)"));
  fs::remove_all(folder_of({0, 2}));
  add({.shard = {0, 2}, .cases = {"a", "c"}, .anchor_us = 0});
  EXPECT_FALSE(anchors_rel(shards()).at(0).has_value());
  EXPECT_EQ(anchors_rel(shards()).at(1), 0);
}

TEST_F(MergeShards, SamplesAreThoseOfAllShards) {
  add_both();
  write(folder_of({0, 2}) / "samples.csv", "header\n1\n2\n");
  write(folder_of({1, 2}) / "samples.csv", "header\n3\ncut o");
  write_merged(folder_ / "all", shards());
  EXPECT_EQ(content(folder_ / "all" / "samples.csv"), "header\n1\n2\n3\n");
  write(folder_of({1, 2}) / "samples.csv", "other\n3\n");
  refusal([&] { write_merged(folder_ / "all", shards()); }, ExitCode::runtime);
  EXPECT_FALSE(fs::exists(folder_ / "all" / "samples.csv.tmp"));
}

TEST_F(MergeShards, APlanReadsAsItWasWritten) {
  const ShardPlan plan{7, {{6, "sphere:8 | subm k3 | a"}, {0, "b"}}};
  write(folder_ / "plan", plan_text(plan));
  EXPECT_EQ(read_plan(folder_ / "plan"), plan);
  for (const char* bad : {"x\n", "0/2\n", "2/2 a\n", "0/2 a\n1/3 b\n"}) {
    write(folder_ / "plan", bad);
    EXPECT_TRUE(has(refusal([&] { read_plan(folder_ / "plan"); }, ExitCode::runtime), "plan:"))
        << bad;
  }
  EXPECT_EQ(shard_of_folder(folder_name({3, 16})), (Shard{3, 16}));
  for (const char* other : {"shard-4-of-4", "shard-1", "logs", "shard-a-of-2"})
    EXPECT_EQ(shard_of_folder(other), std::nullopt) << other;
}

}  // namespace
}  // namespace spb::report
