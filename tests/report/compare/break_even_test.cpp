// SPDX-License-Identifier: Apache-2.0
#include "report/compare/break_even.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/compare/writers.h"
#include "report/compared.h"

namespace spb::report {
namespace {

/// A case as a run writes it: its plan and its kernel, hot and cold.
std::vector<Record> rows_of(const std::string& algorithm, double plan_us, double run_us) {
  std::vector<Record> rows;
  const auto add = [&](const char* phase, const char* cache, double time_us) {
    Record row = kernel_row(algorithm, time_us);
    row.named("phase") = std::string(phase);
    row.named("cache") = std::string(cache);
    row[columns::case_id] =
        "sphere:8/" + algorithm + "/" + phase + (*cache ? "/" + std::string(cache) : "");
    rows.push_back(std::move(row));
  };
  add("plan", "", plan_us);
  add("kernel", "hot", run_us);
  add("kernel", "cold", run_us + 50);
  return rows;
}

std::vector<Record> both(std::vector<Record> a, const std::vector<Record>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<BreakEven> found(const std::vector<Record>& base, const std::vector<Record>& next) {
  const Side before = side_of(base), after = side_of(next);
  const Comparison comparison = compare(before, after, {});
  return break_evens(comparison.devices.front(), {});
}

TEST(BreakEvens, CountTheRunsThatPayForALongerPlan) {
  const std::vector<BreakEven> all = found(rows_of("a", 100, 700), rows_of("a", 850, 650));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].workload, "sphere:8");
  EXPECT_EQ(all[0].base.run_us, 700) << "hot";
  EXPECT_EQ(all[0].next.plan_us, 850);
  EXPECT_TRUE(all[0].next_runs_faster);
  EXPECT_EQ(all[0].runs, 15);
  const std::vector<BreakEven> reverse = found(rows_of("a", 850, 650), rows_of("a", 100, 700));
  ASSERT_EQ(reverse.size(), 1u);
  EXPECT_FALSE(reverse[0].next_runs_faster);
  EXPECT_EQ(reverse[0].runs, 15);
}

TEST(BreakEvens, AreOfTheFastestAlgorithmOfEachSide) {
  const std::vector<BreakEven> all =
      found(both(rows_of("a", 100, 700), rows_of("b", 90, 680)), rows_of("a", 850, 650));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].base.algorithm, "b");
  EXPECT_EQ(all[0].next.algorithm, "a");
  EXPECT_EQ(all[0].runs, 26);  // 760 / 30
}

TEST(BreakEvens, NeedAGainAndACost) {
  EXPECT_TRUE(found(rows_of("a", 100, 700), rows_of("a", 100, 650)).empty()) << "no cost";
  EXPECT_TRUE(found(rows_of("a", 100, 700), rows_of("a", 850, 700)).empty()) << "no gain";
  EXPECT_TRUE(found(rows_of("a", 100, 700), rows_of("a", 850, 698)).empty()) << "intervals meet";
  EXPECT_TRUE(found(rows_of("a", 100, 5), rows_of("a", 850, 4.5)).empty()) << "below the floor";
  EXPECT_TRUE(found(rows_of("a", 100, 700), rows_of("a", 102.9, 650)).empty()) << "no cost";
  std::vector<Record> unverified = rows_of("a", 850, 650);
  for (Record& row : unverified) row.named("verify_status") = std::string("skipped");
  EXPECT_TRUE(found(rows_of("a", 100, 700), unverified).empty());
}

TEST(BreakEvens, NeedPlansAndTimesWithoutThrottling) {
  const std::vector<Record> base = rows_of("a", 100, 700), next = rows_of("a", 850, 650);
  EXPECT_TRUE(found(base, {next[1], next[2]}).empty()) << "no plan";
  const std::vector<BreakEven> cold = found(base, {next[0], next[2]});
  ASSERT_EQ(cold.size(), 1u);
  EXPECT_EQ(cold[0].base.run_us, 750) << "cold where one side has no hot times";
  std::vector<Record> throttled = next;
  for (Record& row : throttled) row.named("status") = std::string("throttled");
  EXPECT_TRUE(found(base, throttled).empty());
}

TEST(BreakEvens, StandInTextAndJson) {
  const Side before = side_of(rows_of("a", 100, 700)), after = side_of(rows_of("a", 850, 650));
  const Comparison comparison = compare(before, after, {});
  const CompareReport report{comparison, before, after, {}, {}, false};
  EXPECT_NE(compare_text(report, false).find("NEW from 15 runs on"), std::string::npos);
  const auto json = nlohmann::json::parse(compare_json(report));
  const auto& one = json["devices"][0]["break_even"][0];
  EXPECT_EQ(one["pays"], "new");
  EXPECT_EQ(one["from_runs"], 15);
  EXPECT_EQ(one["base"]["plan_us"], 100);
}

TEST(BreakEvens, AreNoneBetweenDriversThatDiffer) {
  std::vector<Record> other = rows_of("a", 850, 650);
  for (Record& row : other) row[columns::driver_version] = std::string("570");
  EXPECT_TRUE(found(rows_of("a", 100, 700), other).empty());
}

}  // namespace
}  // namespace spb::report
