// SPDX-License-Identifier: Apache-2.0
#include "report/summary/answer.h"

#include <algorithm>
#include <sstream>

#include "measured.h"
#include "report/has.h"
#include "report/summary/case_table.h"
#include "report/text/table.h"

namespace spb::report {
namespace {

using Lines = std::vector<std::string>;

TEST(Answer, OfOneCellSaysWhatByHowMuchHowSureAndHowToRepeat) {
  const MeasuredSet measured({kShortPlan, kFastRun});
  EXPECT_EQ(
      answer_lines(measured.device(), kUsualRuns),
      (Lines{"gather_scatter: 155 µs for maps, plan and 1 run, 2.23 times as fast as "
             "implicit_gemm (sure: their intervals do not meet); from 5 runs on implicit_gemm",
             "settings: kernel kernel_of_gather_scatter {\"split\":1}",
             "repeat: spconv-bench run of gather_scatter"}));
  const int64_t many[] = {100};
  EXPECT_TRUE(answer_lines(measured.device(), many)[0].starts_with(
      "implicit_gemm: 4.30 ms for maps, plan and 100 runs, "));
}

TEST(Answer, OfSeveralCellsCountsWins) {
  Measured other_short = kShortPlan, other_fast = kFastRun;
  other_short.dataset = other_fast.dataset = "sphere:16";
  other_fast.plan_us = 40;
  other_fast.end_to_end_us = 82;
  const MeasuredSet measured({kShortPlan, kFastRun, other_short, other_fast});
  const Lines lines = answer_lines(measured.device(), kUsualRuns);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0],
            "at 1 run a plan: gather_scatter in 1 of 2, implicit_gemm in 1; 2.05 times as fast as "
            "the next (geometric mean), sure in 2");
  EXPECT_TRUE(lines[1].starts_with("at 4 runs a plan: "));
  EXPECT_TRUE(lines[2].starts_with("at many runs a plan: implicit_gemm in 2 of 2; 2.50 times"));
}

TEST(Answer, SaysANoisyMachineOnceAndFirst) {
  MeasuredSet measured({kShortPlan, kFastRun});
  for (Record& row : measured.rows)
    if (row.text(columns::algorithm) == "implicit_gemm") row[columns::noise_rel] = 0.2;
  const auto lines_now = [&] {
    return answer_lines(collect_cases(measured.rows, kKnown).devices[0], kUsualRuns);
  };
  EXPECT_TRUE(lines_now()[0].starts_with("gather_scatter: ")) << "half of the times are steady";
  for (Record& row : measured.rows) row[columns::noise_rel] = 0.2;
  const Lines lines = lines_now();
  EXPECT_TRUE(lines[0].starts_with("noisy machine: 2 of 2 times spread by more than 5 % (IQR)"));
  EXPECT_TRUE(lines[1].starts_with("gather_scatter: "));
}

TEST(Answer, OfNothingProvenIsNothing) {
  MeasuredSet measured({kShortPlan});
  for (Record& row : measured.rows) row[columns::verify_status] = VerifyStatus::not_run;
  const CaseSet set = collect_cases(measured.rows, kKnown);
  EXPECT_TRUE(answer_lines(set.devices[0], kUsualRuns).empty());
  EXPECT_TRUE(totals_table(set, set.devices[0], kUsualRuns).cells.empty());
}

TEST(TotalsTable, HasTheWinnerAtEachNumberOfRuns) {
  const MeasuredSet measured({kShortPlan, kFastRun});
  const SummaryTable table = totals_table(measured.set, measured.device(), kUsualRuns);
  EXPECT_EQ(table.headers,
            (Lines{"workload", "dtype", "direction", "1 run", "total [µs]", "next / it", "4 runs",
                   "total [µs]", "next / it", "many runs", "cold [µs]", "next / it", "from run"}));
  ASSERT_EQ(table.cells.size(), 1u);
  Lines texts;
  for (const SummaryCell& cell : table.cells[0]) texts.push_back(cell.text);
  EXPECT_EQ(texts, (Lines{"sphere:8 16→32", "f32", "fprop", "gather_scatter", "155", "2.23",
                          "gather_scatter", "455", "1.02", "implicit_gemm", "40.0", "2.50", "5"}));
}

TEST(CaseTable, HasARowForEachCaseByItsTotal) {
  const MeasuredSet measured({kFastRun, kShortPlan});
  EXPECT_EQ(draw_table(case_tables(measured.set, 1, 0).at(0)),
            "all cases: sphere:8 16→32 · f32 · fprop · pass\n"
            "\n"
            "algorithm       cold [µs]  hot [µs]  plan [µs]  1 run [µs]  x least\n"
            "--------------  ---------  --------  ---------  ----------  -------\n"
            "gather_scatter        100      90.0       50.0         155     1.00\n"
            "implicit_gemm        40.0      30.0        300         345     2.23\n"
            "x least: over the least time of the verified for maps, plan and 1 run\n");
}

TEST(CaseTable, HasTheWallOfAGpuBesideItsOwnTime) {
  MeasuredSet measured({kFastRun, kShortPlan});
  for (Record& row : measured.rows)
    if (row.get(columns::phase) == Phase::end_to_end) row[columns::wall_median_us] = 400.0;
  const CaseSet set = collect_cases(measured.rows, kKnown);
  const TableLayout table = case_tables(set, 1, 0).at(0);
  const auto wall = std::ranges::find(table.headers, "wall [µs]") - table.headers.begin();
  ASSERT_LT(static_cast<size_t>(wall), table.headers.size());
  EXPECT_EQ(table.cells[0][static_cast<size_t>(wall)], "400");
  EXPECT_TRUE(has(table.notes.at(1), "by the host's clock"));
}

TEST(CaseTable, LeavesColumnsOutByWidthAndSaysWhich) {
  const MeasuredSet measured({kFastRun, kShortPlan});
  const std::string text = draw_table(case_tables(measured.set, 1, 52).at(0));
  EXPECT_TRUE(has(text, "left out for want of width: plan [µs]")) << text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 52u) << line;
}

TEST(CaseTable, SaysEachFailureOnceBelow) {
  MeasuredSet measured({kFastRun, kShortPlan});
  for (Record& row : measured.rows)
    if (row.text(columns::algorithm) == "implicit_gemm") {
      row[columns::status] = Status::unsupported;
      row[columns::status_detail] = "takes no dtype f32";
      row[columns::verify_status] = VerifyStatus::not_run;
    }
  const CaseSet set = collect_cases(measured.rows, kKnown);
  const TableLayout table = case_tables(set, 1, 0).at(0);
  EXPECT_EQ(table.notes.back(), "implicit_gemm fprop: unsupported: takes no dtype f32");
  EXPECT_EQ(table.cells.back().front(), "implicit_gemm");
}

}  // namespace
}  // namespace spb::report
