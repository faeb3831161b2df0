// SPDX-License-Identifier: Apache-2.0
#include "report/summary/rank.h"

#include "report/samples.h"

namespace spb::report {
namespace {

Value rank_of(const Record& record) { return record.value(columns::rank); }

TEST(Rank, CountsFromTheFastest) {
  Record rows[] = {sample_row("slow", 30), sample_row("fast", 10), sample_row("middle", 20)};
  fill_rank(rows);
  EXPECT_EQ(rank_of(rows[0]), Value(int64_t{3}));
  EXPECT_EQ(rank_of(rows[1]), Value(int64_t{1}));
  EXPECT_EQ(rank_of(rows[2]), Value(int64_t{2}));
}

TEST(Rank, EqualTimesShareARank) {
  Record rows[] = {sample_row("a", 10), sample_row("b", 10), sample_row("c", 20)};
  fill_rank(rows);
  EXPECT_EQ(rank_of(rows[0]), Value(int64_t{1}));
  EXPECT_EQ(rank_of(rows[1]), Value(int64_t{1}));
  EXPECT_EQ(rank_of(rows[2]), Value(int64_t{3}));
}

TEST(Rank, NeverOfWhatIsNotProvenOrNotMeasured) {
  const std::pair<const char*, Value> flaws[] = {
      {"verify_status", "fail"},   {"verify_status", "mistrusted"}, {"verify_status", "not_run"},
      {"verify_status", Value()},  {"status", "incorrect"},         {"status", "throttled"},
      {"time_median_us", Value()},
  };
  for (const auto& [name, value] : flaws) {
    Record rows[] = {sample_row("cheat", 1), sample_row("honest", 10)};
    rows[0].named(name) = value;
    rows[0][columns::rank] = 1;
    fill_rank(rows);
    EXPECT_EQ(rank_of(rows[0]), Value()) << name;
    EXPECT_EQ(rank_of(rows[1]), Value(int64_t{1})) << name;
  }
}

TEST(Rank, EveryOtherKeyIsACompetitionOfItsOwn) {
  for (const Field& field : fields()) {
    const bool apart = (field.key && std::string_view(field.name) != "algorithm") ||
                       std::string_view(field.name) == "run_id";
    if (std::string_view(field.name) == "status" || std::string_view(field.name) == "rank" ||
        std::string_view(field.name) == "verify_status" ||
        std::string_view(field.name) == "time_median_us")
      continue;
    Record rows[] = {sample_row("a", 10), sample_row("a", 20)};
    rows[1].named(field.name) =
        parse_value(field, field.type == FieldType::boolean ? "0" : "7", "");
    fill_rank(rows);
    EXPECT_EQ(rank_of(rows[1]), Value(int64_t{apart ? 1 : 2})) << field.name;
  }
}

}  // namespace
}  // namespace spb::report
