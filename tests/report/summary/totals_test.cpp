// SPDX-License-Identifier: Apache-2.0
#include "report/summary/totals.h"

#include <map>

#include "measured.h"
#include "report/records/read_records.h"

namespace spb::report {
namespace {

TEST(Totals, AreTheFirstRunMeasuredAndTheOthersAsRanked) {
  const MeasuredSet measured({kShortPlan});
  const Case& one = measured.device().cases.at(0);
  EXPECT_DOUBLE_EQ(total_of(one, 1).us, 155);
  EXPECT_DOUBLE_EQ(total_of(one, 4).us, 155 + 3 * 100);
  EXPECT_DOUBLE_EQ(total_of(one, kManyRuns).us, 100);
  EXPECT_DOUBLE_EQ(total_of(one, 4).lo_us, 0.99 * 455);
  EXPECT_DOUBLE_EQ(total_of(one, 4).hi_us, 1.01 * 455);
}

TEST(Totals, FallBackToPlanAndRunAndElseAreUnknown) {
  const MeasuredSet planned({{"gather_scatter", 100, 90, 50, 0}});
  EXPECT_DOUBLE_EQ(total_of(planned.device().cases.at(0), 3).us, 350);
  const MeasuredSet kernel({{"gather_scatter", 100, 90, 0, 0}});
  EXPECT_FALSE(total_of(kernel.device().cases.at(0), 1).is_known());
  EXPECT_TRUE(total_of(kernel.device().cases.at(0), kManyRuns).is_known());
}

TEST(Totals, OfWhatIsNotProvenAreUnknown) {
  MeasuredSet measured({kShortPlan});
  for (Record& row : measured.rows) row[columns::verify_status] = VerifyStatus::mistrusted;
  const CaseSet set = collect_cases(measured.rows, kKnown);
  for (const int64_t runs : {int64_t{1}, kManyRuns})
    EXPECT_FALSE(total_of(set.devices[0].cases[0], runs).is_known());
  EXPECT_FALSE(winner_of(cells_of(set.devices[0])[0], 1));
}

TEST(Winner, HangsOnTheNumberOfRuns) {
  const MeasuredSet measured({kShortPlan, kFastRun});
  const Cell cell = cells_of(measured.device()).at(0);
  EXPECT_EQ(winner_of(cell, 1)->best->algorithm, "gather_scatter");
  EXPECT_EQ(winner_of(cell, 4)->best->algorithm, "gather_scatter");  // 455 and 465
  EXPECT_EQ(winner_of(cell, 5)->best->algorithm, "implicit_gemm");   // 555 and 505
  EXPECT_EQ(winner_of(cell, kManyRuns)->best->algorithm, "implicit_gemm");
  EXPECT_EQ(winner_of(cell, 1)->next->algorithm, "implicit_gemm");
  EXPECT_DOUBLE_EQ(winner_of(cell, 1)->ratio, 345.0 / 155);
  EXPECT_EQ(break_even_runs(cell), 5);
}

TEST(Winner, IsSureWhereIntervalsDoNotMeet) {
  const MeasuredSet apart({kShortPlan, kFastRun});
  EXPECT_TRUE(winner_of(cells_of(apart.device())[0], 1)->sure);
  const MeasuredSet close(
      {{"gather_scatter", 100, 90, 50, 155}, {"implicit_gemm", 99, 30, 50, 156}});
  EXPECT_FALSE(winner_of(cells_of(close.device())[0], 1)->sure);
  EXPECT_FALSE(winner_of(cells_of(close.device())[0], kManyRuns)->sure);
}

TEST(Winner, AloneHasNoNextAndNoDoubt) {
  const MeasuredSet measured({kShortPlan});
  const Cell cell = cells_of(measured.device()).at(0);
  EXPECT_EQ(winner_of(cell, 1)->next, nullptr);
  EXPECT_EQ(break_even_runs(cell), 1);
}

// Behind at 1, ahead for a while, overtaken: who only looks at the ends misses it.
TEST(Leads, ChangeWithEveryAlgorithmThatIsAheadForAWhile) {
  const Measured middle{"explicit_gemm", 45, 40, 60, 175};
  const MeasuredSet measured({kShortPlan, middle, kFastRun});
  const Cell cell = cells_of(measured.device()).at(0);
  const std::vector<Lead> leads = leads_of(cell, 1);
  ASSERT_EQ(leads.size(), 3u);
  EXPECT_EQ(leads[0].best->algorithm, "gather_scatter");
  EXPECT_EQ(leads[1].best->algorithm, "explicit_gemm");
  EXPECT_EQ(leads[1].runs, 2);  // 255 and 220
  EXPECT_EQ(leads[2].best->algorithm, "implicit_gemm");
  EXPECT_EQ(leads[2].runs, 35);  // 1705 and 1705
  const std::pair<int64_t, size_t> led[] = {{1, 0}, {2, 1}, {34, 1}, {36, 2}, {1000, 2}};
  for (const auto& [runs, lead] : led)
    EXPECT_EQ(winner_of(cell, runs)->best, leads[lead].best) << runs;
  EXPECT_EQ(leads_of(cell, 10).size(), 2u);
  EXPECT_EQ(leads_of(cell, kManyRuns).size(), 1u);
}

TEST(BreakEven, IsThatOfTheSlowestToOvertakeAndNeverOfAnEqual) {
  const Measured middle{"explicit_gemm", 45, 40, 60, 110};
  const MeasuredSet measured({kShortPlan, kFastRun, middle});
  // 345 + 40 (n - 1) <= 110 + 45 (n - 1) from n = 48 on.
  EXPECT_EQ(break_even_runs(cells_of(measured.device()).at(0)), 48);
  const MeasuredSet equal({{"gather_scatter", 40, 40, 60, 110}, kFastRun});
  const Cell cell = cells_of(equal.device()).at(0);
  EXPECT_TRUE(!break_even_runs(cell) || *break_even_runs(cell) == 1);
}

std::string cell_name(const Record& row) {
  return row.text(columns::dataset) + " " + row.text(columns::direction) + " " +
         row.text(columns::dtype) + " " + to_text(row.value(columns::c_in)) + ":" +
         to_text(row.value(columns::c_out));
}

// The committed samples of an H200, against what their rows say when they are read one by one.
TEST(Winner, OfCommittedRecordsIsTheLeastEndToEnd) {
  std::vector<Record> rows;
  for (const char* part : {"f16", "f32"})
    for (Record& row :
         read_records(std::string(SPB_SOURCE_DIR) + "/reports/nvidia-h200/real/" + part).rows)
      rows.push_back(std::move(row));
  std::map<std::string, std::pair<double, std::string>> least;
  for (const Record& row : rows) {
    if (row.get(columns::phase) != Phase::end_to_end || row.get(columns::status) != Status::ok ||
        row.get(columns::verify_status) != VerifyStatus::pass)
      continue;
    const std::pair found(row.number(columns::time_median_us).value(),
                          row.text(columns::algorithm));
    const auto [entry, is_new] = least.try_emplace(cell_name(row), found);
    if (!is_new) entry->second = std::min(entry->second, found);
  }
  ASSERT_GE(least.size(), 63u);
  sort_rows(rows);
  const CaseSet set = collect_cases(rows, kKnown);
  size_t cells = 0, not_the_fastest_kernel = 0;
  for (const Cell& cell : cells_of(set.devices.at(0))) {
    const auto winner = winner_of(cell, 1);
    if (!winner) continue;
    const std::string key = cell_name(*winner->best->main);
    ASSERT_TRUE(least.contains(key)) << key;
    EXPECT_EQ(winner->best->algorithm, least[key].second) << key;
    ++cells;
    not_the_fastest_kernel += fastest_of(cell)->algorithm != winner->best->algorithm;
  }
  EXPECT_EQ(cells, least.size());
  EXPECT_GE(not_the_fastest_kernel, 30u) << "else the kernel alone would be answer enough";
}

}  // namespace
}  // namespace spb::report
