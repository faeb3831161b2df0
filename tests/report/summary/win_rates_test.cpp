// SPDX-License-Identifier: Apache-2.0
#include "report/summary/win_rates.h"

#include "report/samples.h"
#include "report/summary/rank.h"

namespace spb::report {
namespace {

Record row(const char* algorithm, double time_us, int64_t n_out, CacheState cache) {
  Record record = sample_row(algorithm, time_us);
  record[columns::phase] = Phase::kernel;
  record[columns::cache] = cache;
  record[columns::n_out] = n_out;
  record[columns::dataset] = std::to_string(n_out);
  record[columns::c_in] = 16;
  record[columns::c_out] = 128;
  record[columns::direction] = "fprop";
  return record;
}

TEST(WinRates, CountTheFastestHotTimeOfEachCompetition) {
  std::vector<Record> rows{
      row("a", 1, 500, CacheState::hot),    row("b", 2, 500, CacheState::hot),
      row("a", 3, 9'000, CacheState::hot),  row("b", 2, 9'000, CacheState::hot),
      row("a", 1, 600, CacheState::hot),    row("b", 2, 600, CacheState::hot),
      row("a", 9, 600, CacheState::cold),   row("b", 1, 600, CacheState::cold),
      row("b", 1, 20'000, CacheState::hot), row("c", 2, 20'000, CacheState::hot),
      row("a", 1, 700, CacheState::hot)};  // alone: no competition
  fill_rank(rows);
  const std::vector<Win> all = wins(rows);
  EXPECT_EQ(all.size(), 4u);
  EXPECT_EQ(win_rates(all), (std::vector<std::vector<std::string>>{
                                {"direction", "outputs", "channels", "cases", "fastest in"},
                                {"fprop", "up to 10k", "up to 256", "3", "a 67 %, b 33 %"},
                                {"fprop", "up to 100k", "up to 256", "1", "b 100 %"}}));
}

TEST(WinRates, TakeColdTimesWhereNoneIsHot) {
  std::vector<Record> rows{row("a", 9, 600, CacheState::cold), row("b", 1, 600, CacheState::cold)};
  fill_rank(rows);
  ASSERT_EQ(wins(rows).size(), 1u);
  EXPECT_EQ(wins(rows).front().algorithm, "b");
  EXPECT_EQ(wins(rows).front().channels, 128);
}

}  // namespace
}  // namespace spb::report
