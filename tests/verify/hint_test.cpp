// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <gtest/gtest.h>

#include "verify/simulated_device.h"

namespace spb {
namespace {

using test::Behavior;
using verify::Fill;

struct Fixture {
  test::Setup s = test::make_setup(Dtype::f32, Direction::fprop, 24, 24, 4);
  test::ExactCase c = test::exact_case(s, Fill::wide_a, 4);
  std::vector<float> right = test::simulate(s, c.operands);

  std::string hint(const std::vector<float>& got, std::span<const int64_t> rows = {}) const {
    const auto comparison = verify::compare_exact(c.expected, got, Dtype::f32);
    return verify::hint(comparison, c.expected, got, s.problem,
                        verify::tile_sums(s.problem, s.map, c.operands), rows);
  }
};

TEST(Hint, NamesWhatTheMismatchesShare) {
  const Fixture f;
  EXPECT_EQ(f.hint(f.right), "");
  auto got = f.right;
  got[24 * 3 + 1] = std::bit_cast<float>(0xffffffffu);
  EXPECT_NE(f.hint(got).find("poison at row 3"), std::string::npos);
  got[24 * 3 + 1] = std::bit_cast<float>(0x7fe57fe5u);
  EXPECT_NE(f.hint(got).find("canary at row 3"), std::string::npos);

  got = f.right;
  std::copy_n(f.right.begin() + 24 * 9, 24, got.begin() + 24 * 2);
  EXPECT_EQ(f.hint(got), "row 2 holds row 9");

  got = f.right;
  for (int j = 0; j < 24; ++j)
    got[static_cast<size_t>(24 * 5 + j)] += static_cast<float>(j % 5 + 11);
  EXPECT_EQ(f.hint(got), "whole row 5");

  got = f.right;
  for (size_t i = 7; i < got.size(); i += 24) got[i] += static_cast<float>(i % 5 + 11);
  EXPECT_EQ(f.hint(got), "whole channel 7");

  got = f.right;
  for (float& v : got) v = v * 1.25f;
  EXPECT_NE(f.hint(got).find("constant ratio 1.25"), std::string::npos);

  got = f.right;
  for (float& v : got) v = round_operand(v, Dtype::bf16);
  EXPECT_NE(f.hint(got).find("bf16 grid"), std::string::npos);
}

// Compared rows of many: which ones they are is known, not what the others hold.
TEST(Hint, OfAFewRowsNamesThemAndNoTileOrChannel) {
  const Fixture f;
  std::vector<int64_t> rows;
  for (int64_t row = 0; row < f.c.expected.rows; ++row) rows.push_back(1000 + 3 * row);
  auto got = f.right;
  for (int j = 0; j < 24; ++j)
    got[static_cast<size_t>(24 * 5 + j)] += static_cast<float>(j % 5 + 11);
  EXPECT_EQ(f.hint(got, rows), "whole row 1015");
  got[24 * 5] = std::bit_cast<float>(0xffffffffu);
  EXPECT_NE(f.hint(got, rows).find("poison at row 1015"), std::string::npos);
  got = f.right;
  std::copy_n(f.right.begin() + 24 * 9, 24, got.begin() + 24 * 2);
  EXPECT_EQ(f.hint(got, rows), "row 1006 holds row 1027");

  got = f.right;
  for (size_t i = 7; i < got.size(); i += 24) got[i] += static_cast<float>(i % 5 + 11);
  EXPECT_EQ(f.hint(got, rows), "");
  got = f.right;
  const size_t full = got.size() / 24 / 16 * 16;
  ASSERT_LT(full, got.size() / 24);
  got[24 * full + 3] += 11;
  EXPECT_NE(f.hint(got).find("past the last full tile"), std::string::npos);
  EXPECT_EQ(f.hint(got, rows).find("past the last full tile"), std::string::npos);
}

TEST(Hint, NamesTheMissedKernelOffset) {
  const Fixture f;
  const int64_t missed = 40;
  const Triple t = f.s.map.triples[missed];
  const auto text = f.hint(test::simulate(f.s, f.c.operands, {.missed_triple = missed}));
  EXPECT_EQ(text, "row " + std::to_string(t.out) + ": kernel offset " + std::to_string(t.offset) +
                      " missed");
}

// The tile sums of an element are those of its group.
TEST(Hint, NamesTheMissedKernelOffsetOfGroups) {
  for (const Direction direction : {Direction::fprop, Direction::dgrad}) {
    Fixture f;
    f.s = test::grouped(test::make_setup(Dtype::f32, direction, 2, 3, 4), 8);
    f.c = test::exact_case(f.s, Fill::wide_a, 4);
    const int64_t missed = 40;
    const Triple t = f.s.map.triples[missed];
    const auto text = f.hint(test::simulate(f.s, f.c.operands, {.missed_triple = missed}));
    const int32_t row = direction == Direction::fprop ? t.out : t.in;
    EXPECT_EQ(text, "row " + std::to_string(row) + ": kernel offset " + std::to_string(t.offset) +
                        " missed");
  }
}

TEST(ReportLines, NameVoxelChannelOffsetAndHint) {
  const Fixture f;
  auto got = f.right;
  got[24 * 3 + 1] += 100;
  const auto comparison = verify::compare_exact(f.c.expected, got, Dtype::f32);
  const auto lines = verify::report_lines(comparison, f.c.expected, got, f.s.problem,
                                          {.title = "fprop", .coords = f.s.map.out_coords});
  ASSERT_GE(lines.size(), 2u);
  EXPECT_NE(lines[0].find("1 of"), std::string::npos);
  const Coord& voxel = f.s.map.out_coords[3];
  const std::string place = "row 3 (batch 0; " + std::to_string(voxel.x) + ", " +
                            std::to_string(voxel.y) + ", " + std::to_string(voxel.z) +
                            "), channel 1";
  EXPECT_NE(lines[1].find(place), std::string::npos) << lines[1];
  EXPECT_NE(lines[1].find("certain"), std::string::npos);

  Problem wgrad = f.s.problem;
  wgrad.direction = Direction::wgrad;
  const auto weights =
      verify::report_lines(comparison, f.c.expected, got, wgrad, {.title = "wgrad"});
  EXPECT_NE(weights[1].find("kernel offset 3, output channel 0, input channel 1"),
            std::string::npos);

  // Column 1 of output channel 0 is input 1; of channel 3, in groups of 3, input 3 + 1.
  Problem grouped = wgrad;
  grouped.groups = 8;
  auto wrong = f.right;
  wrong[24 * (3 * 27 + 3) + 1] += 100;
  const auto of_group = verify::report_lines(verify::compare_exact(f.c.expected, wrong, Dtype::f32),
                                             f.c.expected, wrong, grouped, {.title = "wgrad"});
  EXPECT_NE(of_group[1].find("kernel offset 3, output channel 3, input channel 4"),
            std::string::npos)
      << of_group[1];

  const auto clean = verify::compare_exact(f.c.expected, f.right, Dtype::f32);
  EXPECT_TRUE(verify::report_lines(clean, f.c.expected, f.right, f.s.problem, {}).empty());
}

}  // namespace
}  // namespace spb
