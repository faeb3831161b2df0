// SPDX-License-Identifier: Apache-2.0
#include "report/records/merge_runs.h"

#include <cmath>

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
  // What all rows have in common is taken out: row b of the second run is 10 % slower, too.
  Side first = run_of("1", 100), second = run_of("2", 110);
  for (Side* run : {&first, &second}) {
    Record other = run->records.rows.front();
    other[columns::algorithm] = "b";
    other[columns::case_id] = "sphere:8/b/kernel/cold";
    run->records.rows.push_back(other);
    run->samples[sample_key(other)] = {{run == &first ? 50.0 : 55.0}};
  }
  const Side merged = merge_runs({first, second});
  ASSERT_EQ(merged.records.rows.size(), 2u);
  const double middle = std::sqrt(100.0 * 110);
  for (const Record& row : merged.records.rows) {
    const double share = row.text(columns::algorithm) == "b" ? 0.5 : 1;
    EXPECT_NEAR(*row.number(columns::time_median_us), share * middle, 1e-9);
    EXPECT_EQ(row.value(columns::time_ci95_lo_us), Value());
    const Rounds& rounds = merged.samples.at(sample_key(row));
    ASSERT_EQ(rounds.size(), 2u);
    EXPECT_NEAR(rounds[0][rounds[0].size() / 2], share * middle, 1e-9);
    EXPECT_NEAR(rounds[1][rounds[1].size() / 2], share * middle, 1e-9);
  }
  const auto& processes = merged.processes.at("NVIDIA H200");
  ASSERT_EQ(processes.size(), 2u);
  EXPECT_EQ(processes[0].at(row_key(first.records.rows[0])), 100) << "as it was measured";
  EXPECT_EQ(processes[1].at(row_key(first.records.rows[1])), 55);
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
  EXPECT_NEAR(*merged.records.rows.front().number(columns::time_median_us), std::sqrt(11000), 1e-9);
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
