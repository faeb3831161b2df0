// SPDX-License-Identifier: Apache-2.0
#include "report/summary/dense_table.h"

#include <algorithm>
#include <fmt/format.h>

#include "report/known.h"
#include "report/samples.h"
#include "report/summary/answer.h"
#include "report/summary/rows.h"
#include "report/summary/summary.h"

namespace spb::report {
namespace {

TEST(SameCost, LiesBetweenLogarithms) {
  // Sparse costs 1000 p, dense 100: equal at 0.1, which no point has.
  const std::vector<DensePoint> law{{0.01, 10, 100}, {0.02, 20, 100}, {0.5, 500, 100}};
  EXPECT_EQ(same_cost(law), "0.100");
  EXPECT_EQ(same_cost({{0.01, 10, 100}, {1, 1000, 100}}), "0.100");
}

TEST(SameCost, BeyondThePointsIsNotGuessed) {
  EXPECT_EQ(same_cost({}), "");
  EXPECT_EQ(same_cost({{0.1, 50, 100}, {1, 90, 100}}), "none up to 1.00");
  EXPECT_EQ(same_cost({{0.1, 150, 100}, {1, 900, 100}}), "below 0.100");
  EXPECT_EQ(same_cost({{1, 90, 90}}), "none up to 1.00") << "dense costs no less";
}

TEST(SameCost, OfSeveralPlacesIsTheOneBeyondWhichDenseCostsLess) {
  EXPECT_EQ(same_cost({{0.01, 200, 100}, {0.1, 50, 100}, {1, 200, 100}}), "0.316");
}

/// A cold row of a cube of `cells` cells.
Record row(const std::string& algorithm, int channels, double occupancy, double time_us,
           double dense_us, double cells = 1'000'000) {
  Record made = sample_row(algorithm, time_us);
  made[columns::dataset] = fmt::format("random:{},{}", cells, occupancy);
  made[columns::backend] = "cuda";
  made[columns::gpu_name] = "GPU A";
  made[columns::cache] = CacheState::cold;
  made[columns::c_in] = channels;
  made[columns::c_out] = channels;
  made[columns::n_in] = static_cast<int64_t>(occupancy * cells);
  made[columns::occupancy] = occupancy;
  if (dense_us > 0) made[columns::dense_conv_us] = dense_us;
  return made;
}

std::vector<std::vector<std::string>> table_of(std::vector<Record> rows) {
  sort_rows(rows);
  const CaseSet set = collect_cases(rows, kKnown);
  std::vector<std::vector<std::string>> lines;
  for (const auto& cells : dense_table(set, set.devices.front()).cells) {
    std::vector<std::string>& line = lines.emplace_back();
    for (const SummaryCell& cell : cells) line.push_back(cell.text);
  }
  return lines;
}

using TableLines = std::vector<std::vector<std::string>>;

TEST(DenseTable, HasALineForEachWidth) {
  std::vector<Record> rows;
  for (const double p : {1.0, 0.5, 0.02, 0.01}) {
    rows.push_back(row("a", 16, p, 1000 * p, 100));
    rows.push_back(row("b", 16, p, 3000 * p, 100));
    rows.push_back(row("a", 64, p, 1000 * p, 2000));
  }
  EXPECT_EQ(table_of(rows), (TableLines{{"random:1000000", "16→16", "f32", "fprop", "1000000",
                                         "0.0100 … 1.00", "10.0 … 0.100", "0.100"},
                                        {"random:1000000", "64→64", "f32", "fprop", "1000000",
                                         "0.0100 … 1.00", "200 … 2.00", "none up to 1.00"}}));
}

TEST(DenseTable, TakesHotTimesAndTheFastestVerified) {
  std::vector<Record> rows{row("a", 16, 1, 500, 100), row("b", 16, 1, 400, 100)};
  rows.push_back(rows[0]);
  rows.back()[columns::cache] = CacheState::hot;
  rows.back()[columns::time_median_us] = 200.0;
  rows.push_back(row("wrong", 16, 1, 1, 100));
  rows.back()[columns::verify_status] = VerifyStatus::fail;
  rows.back()[columns::status] = Status::incorrect;
  EXPECT_EQ(table_of(rows), (TableLines{{"random:1000000", "16→16", "f32", "fprop", "1000000",
                                         "1.00", "0.500", "below 1.00"}}));
}

TEST(DenseTable, BoxesOfOtherSizesStandApart) {
  const TableLines lines = table_of(
      {row("a", 16, 1, 50, 100), row("a", 16, 0.1, 5, 100), row("a", 16, 1, 80, 200, 8'000'000)});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0][4], "1000000");
  EXPECT_EQ(lines[1][4], "8000000");
}

TEST(DenseTable, OtherDataOfAsManyCellsStandApart) {
  std::vector<Record> rows{row("a", 16, 1, 50, 100), row("a", 16, 1, 80, 90)};
  rows[1][columns::dataset] = "box:100,100,100";
  EXPECT_EQ(table_of(rows), (TableLines{{"box:100,100", "16→16", "f32", "fprop", "1000000", "1.00",
                                         "1.12", "none up to 1.00"},
                                        {"random:1000000", "16→16", "f32", "fprop", "1000000",
                                         "1.00", "2.00", "none up to 1.00"}}));
}

TEST(DenseTable, IsEmptyWhereNothingDenseWasMeasured) {
  EXPECT_TRUE(table_of({row("a", 16, 0.5, 50, 0)}).empty());
}

TEST(DenseTable, StandsInTheSummary) {
  const auto summary_of = [](std::vector<Record> rows) {
    RecordSet records;
    sort_rows(rows);
    records.rows = std::move(rows);
    const CaseSet set = collect_cases(records.rows, kKnown);
    return summary(records, set, kUsualRuns);
  };
  const std::string heading = "### The fastest verified kernel against the dense convolution";
  EXPECT_NE(summary_of({row("a", 16, 1, 50, 100)}).find(heading), std::string::npos);
  EXPECT_EQ(summary_of({row("a", 16, 1, 50, 0)}).find(heading), std::string::npos);
}

}  // namespace
}  // namespace spb::report
