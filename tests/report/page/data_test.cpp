// SPDX-License-Identifier: Apache-2.0
#include "report/page/data.h"

#include <nlohmann/json.hpp>
#include <set>

#include "report/has.h"
#include "report/summary/answer.h"
#include "report/summary/measured.h"
#include "report/summary/totals.h"

namespace spb::report {
namespace {

using Json = nlohmann::json;

/// The value of a row in the column of that name.
const Json& at(const Json& table, size_t row, const std::string& column) {
  const Json& names = table["columns"];
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == column) return table["rows"][row][i];
  throw std::out_of_range(column);
}

Json data_of(const CaseSet& set) { return Json::parse(page_data(set, kUsualRuns)); }

TEST(PageData, HasTheTotalsAndWinnersOfTheTables) {
  const MeasuredSet measured(
      {{"gather_scatter", 100, 90, 50, 155}, {"implicit_gemm", 40, 30, 300, 345}});
  const Json data = data_of(measured.set);
  EXPECT_EQ(data["runs"], (Json{1, 4, kManyRuns}));
  ASSERT_EQ(data["times"]["rows"].size(), 2u);
  EXPECT_EQ(at(data["times"], 0, "plan_us"), 50);
  EXPECT_EQ(at(data["times"], 0, "run_us"), 100);
  EXPECT_EQ(at(data["times"], 0, "map_us"), nullptr) << "was not measured";
  EXPECT_EQ(at(data["times"], 0, "totals_us")[1], (Json{455, 450.45, 459.55}));
  ASSERT_EQ(data["cells"]["rows"].size(), 1u);
  const Json& winners = at(data["cells"], 0, "winners");
  const Cell cell = cells_of(measured.device()).at(0);
  for (size_t i = 0; i < winners.size(); ++i) {
    const auto winner = winner_of(cell, data["runs"][i].get<int64_t>());
    EXPECT_EQ(data["algorithms"][winners[i][0].get<size_t>()][0], winner->best->algorithm);
    EXPECT_EQ(data["algorithms"][winners[i][1].get<size_t>()][0], winner->next->algorithm);
    EXPECT_NEAR(winners[i][2].get<double>(), winner->ratio, 1e-4 * winner->ratio);
    EXPECT_EQ(winners[i][3], winner->sure ? 1 : 0);
  }
}

TEST(PageData, MapsAreNoLongerThanTheirPlan) {
  MeasuredSet measured({{"gather_scatter", 100, 90, 50, 155}});
  Record maps = measured.rows.front();
  maps[columns::phase] = Phase::map_build;
  maps[columns::cache] = std::nullopt;
  for (const double map_us : {20.0, 70.0}) {
    maps[columns::time_median_us] = map_us;
    std::vector<Record> rows = measured.rows;
    rows.push_back(maps);
    sort_rows(rows);
    EXPECT_EQ(at(data_of(collect_cases(rows, kKnown))["times"], 0, "map_us"),
              std::min(map_us, 50.0));
  }
}

TEST(PageData, ACellWithoutProofIsThereAndEmpty) {
  MeasuredSet measured({{"gather_scatter", 100, 90, 50, 155}});
  for (Record& row : measured.rows) row[columns::verify_status] = VerifyStatus::mistrusted;
  const Json data = data_of(collect_cases(measured.rows, kKnown));
  EXPECT_TRUE(data["times"]["rows"].empty());
  EXPECT_EQ(at(data["cells"], 0, "winners"), (Json{nullptr, nullptr, nullptr}));
}

TEST(PageData, ShortNamesAreEachTheirOwn) {
  const MeasuredSet measured({{"gather_scatter", 1, 1, 1, 2},
                              {"gather_sort", 1, 1, 1, 2},
                              {"masked_implicit_gemm", 1, 1, 1, 2},
                              {"→", 1, 1, 1, 2}});
  const Json data = data_of(measured.set);
  std::set<std::string> names;
  for (const Json& algorithm : data["algorithms"]) names.insert(algorithm[1]);
  EXPECT_EQ(names, (std::set<std::string>{"GS", "GS2", "MIG", "X"}));
}

TEST(PageData, WorkloadsSayTheirShapeAndVoxels) {
  MeasuredSet measured({{"gather_scatter", 100, 90, 50, 155}});
  for (Record& row : measured.rows) row[columns::n_out] = 192;
  EXPECT_EQ(data_of(collect_cases(measured.rows, kKnown))["workloads"][0],
            (Json{"sphere:8 16→32", " 16→32", 192}));
}

TEST(PageData, NothingEndsItsElement) {
  const MeasuredSet measured({{"</script><b>\xff", 100, 90, 50, 155}});
  const std::string text = page_data(measured.set, kUsualRuns);
  EXPECT_FALSE(has(text, "<"));
  EXPECT_EQ(Json::parse(text)["algorithms"][0][0], "</script><b>\xEF\xBF\xBD");
}

}  // namespace
}  // namespace spb::report
