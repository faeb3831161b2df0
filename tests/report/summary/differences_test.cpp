// SPDX-License-Identifier: Apache-2.0
#include "report/summary/differences.h"

#include "measured.h"
#include "report/summary/answer.h"
#include "report/summary/totals.h"

namespace spb::report {
namespace {

/// On GPU B gather_scatter takes twice its time, and implicit_gemm as long as on GPU A.
const std::vector<Measured> kTwo{{"gather_scatter", 100, 90, 50, 155, "a", "GPU A"},
                                 {"implicit_gemm", 40, 30, 300, 310, "a", "GPU A"},
                                 {"gather_scatter", 200, 90, 100, 320, "a", "GPU B"},
                                 {"implicit_gemm", 40, 30, 300, 310, "a", "GPU B"}};

std::vector<std::string> texts(const std::vector<SummaryCell>& cells) {
  std::vector<std::string> found;
  for (const SummaryCell& cell : cells) found.push_back(cell.text);
  return found;
}

TEST(Differences, AreWinnersAndTheRatioOfTheirTotals) {
  const MeasuredSet measured(kTwo);
  const SummaryTable table = differences_table(measured.set, 1);
  ASSERT_EQ(table.cells.size(), 1u);
  EXPECT_EQ(texts(table.cells[0]),
            (std::vector<std::string>{"a 16→32", "f32", "fprop", "gather_scatter", "155",
                                      "implicit_gemm ≠", "310", "2.00"}));
  EXPECT_EQ(table.headers.size(), table.cells[0].size());
  EXPECT_TRUE(table.cells[0][5].strong);
  const SummaryTable many = differences_table(measured.set, kManyRuns);
  EXPECT_EQ(many.cells[0][5].text, "implicit_gemm") << "the same on both";
  EXPECT_EQ(many.cells[0][7].text, "1.00");
}

TEST(Differences, AreSummedUpForEachNumberOfRuns) {
  const MeasuredSet measured(kTwo);
  const std::vector<std::string> lines = difference_lines(measured.set, kUsualRuns);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0],
            "at 1 run a plan: GPU B (cuda) takes 2.00 times as long as GPU A (cuda) (geometric "
            "mean of 1 cells, each with its own winner); another algorithm wins in 1 of 1");
  EXPECT_TRUE(lines[2].starts_with("at many runs a plan: ")) << lines[2];
  EXPECT_TRUE(lines[2].ends_with("in 0 of 1")) << lines[2];
}

TEST(Differences, NeedACellInCommonOnTwoGpus) {
  std::vector<Measured> apart = kTwo;
  for (Measured& measured : apart)
    if (measured.gpu == "GPU B") measured.dataset = "b";
  const MeasuredSet one({kTwo[0], kTwo[1]}), others(apart);
  for (const MeasuredSet* measured : {&one, &others}) {
    EXPECT_TRUE(difference_lines(measured->set, kUsualRuns).empty());
    EXPECT_TRUE(differences_table(measured->set, 1).cells.empty());
  }
}

TEST(Differences, LeaveTheHostOut) {
  MeasuredSet measured(kTwo);
  for (Record& row : measured.rows)
    if (row.text(columns::gpu_name) == "GPU B") row[columns::backend] = "host";
  sort_rows(measured.rows);
  EXPECT_TRUE(difference_lines(collect_cases(measured.rows, kKnown), kUsualRuns).empty());
}

}  // namespace
}  // namespace spb::report
