// SPDX-License-Identifier: Apache-2.0
#include "report/text/table_layout.h"

#include <cmath>

#include "report/samples.h"

namespace spb::report {
namespace {

std::vector<std::string> column(const TableLayout& table, const std::string& header) {
  std::vector<std::string> cells;
  for (size_t i = 0; i < table.headers.size(); ++i)
    if (table.headers[i] == header)
      for (const auto& row : table.cells) cells.push_back(row[i]);
  return cells;
}

using Cells = std::vector<std::string>;

TEST(ThreeDigits, AtEverySize) {
  const std::pair<double, const char*> cases[] = {
      {0, "0"},          {1, "1.00"},      {12.345, "12.3"}, {412.34, "412"},      {9.996, "10.0"},
      {99.96, "100"},    {999.6, "1000"},  {12345, "12300"}, {0.012345, "0.0123"}, {0.9996, "1.00"},
      {-1.234, "-1.23"}, {1e6, "1000000"}, {NAN, ""},
  };
  for (const auto& [value, text] : cases) EXPECT_EQ(three_digits(value), text) << value;
}

TEST(Units, SuitTheValue) {
  EXPECT_EQ(time_text(412.34), "412 µs");
  EXPECT_EQ(time_text(1500), "1.50 ms");
  EXPECT_EQ(time_text(2.5e6), "2.50 s");
  EXPECT_EQ(time_text(0.25), "0.250 µs");
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(12345678), "12.3 MB");
}

TEST(DisplayWidth, CountsCharactersNotBytes) { EXPECT_EQ(display_width("µs ±"), 4u); }

TEST(Layout, ConstantKeysStandOnceAbove) {
  const Record rows[] = {sample_row("a", 10), sample_row("b", 20)};
  const auto tables = layout_tables(rows);
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].constants.at(0),
            std::make_pair(std::string("dataset"), std::string("sphere:8")));
  EXPECT_EQ(column(tables[0], "algorithm"), (Cells{"a", "b"}));
  EXPECT_TRUE(column(tables[0], "dataset").empty());
  EXPECT_TRUE(column(tables[0], "n_in").empty()) << "not measured: no column";
}

TEST(Layout, OneUnitForTheColumnThatSuitsTheSmallest) {
  const Record rows[] = {sample_row("a", 1500), sample_row("b", 123456)};
  EXPECT_EQ(column(layout_tables(rows)[0], "time [ms]"), (Cells{"1.50", "123"}));
}

TEST(Layout, MarksTheFastestVerifiedRowOnly) {
  Record rows[] = {sample_row("wrong", 1), sample_row("a", 10), sample_row("b", 20)};
  rows[0][columns::status] = Status::incorrect;
  rows[0][columns::status_detail] = "voxel 3";
  rows[0][columns::verify_status] = VerifyStatus::fail;
  const TableLayout table = layout_tables(rows)[0];
  EXPECT_EQ(column(table, "rank"), (Cells{"", "1", "2"}));
  EXPECT_EQ(column(table, ""), (Cells{"", "*", ""}));
  EXPECT_EQ(column(table, "verified"), (Cells{"incorrect", "pass", "pass"}));
  EXPECT_EQ(column(table, "reason"), (Cells{"voxel 3", "", ""}));
}

TEST(Layout, NoisyTimesAreMarked) {
  Record rows[] = {sample_row("a", 10), sample_row("b", 20)};
  rows[0][columns::noise_rel] = 0.04;
  rows[1][columns::noise_rel] = 0.06;
  const TableLayout table = layout_tables(rows)[0];
  EXPECT_EQ(column(table, "time [µs]"), (Cells{"10.0", "20.0~"}));
  EXPECT_EQ(table.notes.size(), 2u);
}

TEST(Layout, HostRowsStandApart) {
  Record rows[] = {sample_row("a", 10), sample_row("b", 20), sample_row("c", 30)};
  rows[1][columns::backend] = "cuda";
  const auto tables = layout_tables(rows);
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[0].heading, "host timing: for testing the tool");
  EXPECT_EQ(column(tables[0], "algorithm"), (Cells{"a", "c"}));
  EXPECT_EQ(tables[1].heading, "");
  EXPECT_EQ(column(tables[1], "rank"), (Cells{"1"}));
}

}  // namespace
}  // namespace spb::report
