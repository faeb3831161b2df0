// SPDX-License-Identifier: Apache-2.0
#include "report/records/merge_runs.h"

#include "report/compared.h"

namespace spb::report {
namespace {

Side run_of(const std::string& run_id, double time_us, bool with_samples = true) {
  Record row = kernel_row("a", time_us);
  row[columns::run_id] = run_id;
  Side side = side_of({row});
  if (with_samples) side.samples[sample_key(row)] = {{time_us - 1, time_us, time_us + 1}};
  return side;
}

TEST(MergeRuns, MedianOfAllSamplesAndRoundsOfAllRuns) {
  const Side merged = merge_runs({run_of("1", 100), run_of("2", 110)});
  ASSERT_EQ(merged.records.rows.size(), 1u);
  const Record& row = merged.records.rows.front();
  EXPECT_EQ(row.value(columns::time_median_us), Value(105.0));  // between 101 and 109
  EXPECT_EQ(row.value(columns::time_ci95_lo_us), Value());
  EXPECT_EQ(merged.samples.at(sample_key(row)), (Rounds{{99, 100, 101}, {109, 110, 111}}));
}

TEST(MergeRuns, ACaseThatFailedOnceHasFailed) {
  Side failed = side_of({failed_row("a", "incorrect")});
  for (const auto& runs : {std::vector{failed, run_of("2", 110)}, {run_of("1", 100), failed}}) {
    const Side merged = merge_runs(runs);
    ASSERT_EQ(merged.records.rows.size(), 1u);
    EXPECT_EQ(merged.records.rows.front().text(columns::status), "incorrect");
  }
}

TEST(MergeRuns, ACaseThatTheLastRunLacksIsKept) {
  Side first = run_of("1", 100);
  Record other = kernel_row("b", 50);
  other[columns::run_id] = "1";
  first.records.rows.push_back(other);
  const Side merged = merge_runs({first, run_of("2", 110)});
  ASSERT_EQ(merged.records.rows.size(), 2u);
  EXPECT_EQ(merged.records.rows.front().value(columns::time_median_us), Value(105.0));
  EXPECT_EQ(merged.records.rows.back().text(columns::algorithm), "b");
  EXPECT_EQ(merged.records.rows.back().value(columns::time_median_us), Value(50.0));
}

TEST(MergeRuns, ACaseThatTheLastRunSkippedIsKept) {
  Side last = run_of("2", 110);
  for (Record& row : last.records.rows) row[columns::status] = Status::skipped;
  last.samples.clear();
  const Side merged = merge_runs({run_of("1", 100), last});
  ASSERT_EQ(merged.records.rows.size(), 1u);
  EXPECT_EQ(merged.records.rows.front().text(columns::status), "ok");
  EXPECT_EQ(merged.records.rows.front().value(columns::time_median_us), Value(100.0));
}

TEST(MergeRuns, WithoutSamplesTheLastTimeCounts) {
  const Side merged = merge_runs({run_of("1", 100, false), run_of("2", 110)});
  EXPECT_EQ(merged.records.rows.front().value(columns::time_median_us), Value(110.0));
  EXPECT_TRUE(merged.samples.empty());
}

}  // namespace
}  // namespace spb::report
