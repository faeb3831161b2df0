// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <gtest/gtest.h>

#include "verify/simulated_device.h"

namespace spb {
namespace {

constexpr double kAnyMacs = 1e18;

TEST(SampleRows, TakesEverythingWhenSmallAndNothingForWgrad) {
  test::Setup s = test::make_setup(Dtype::f32, Direction::fprop, 1, 1, 1);
  EXPECT_EQ(verify::sample_rows(s.problem, s.voxels, s.map, kAnyMacs, 1).size(),
            s.voxels.coords.size());
  s.problem.direction = Direction::wgrad;
  EXPECT_TRUE(verify::sample_rows(s.problem, s.voxels, s.map, kAnyMacs, 1).empty());
}

TEST(SampleRows, HoldsEndsExtremesAndUniqueRows) {
  const test::Setup s = test::make_setup(Dtype::f32, Direction::dgrad, 1, 1, 1, 26);
  ASSERT_GT(s.n_in(), 4096);
  const auto rows = verify::sample_rows(s.problem, s.voxels, s.map, kAnyMacs, 1);
  EXPECT_EQ(rows.size(), 4096u);
  EXPECT_TRUE(std::ranges::is_sorted(rows));
  EXPECT_EQ(std::ranges::adjacent_find(rows), rows.end());
  EXPECT_EQ(rows.front(), 0);
  EXPECT_EQ(rows[127], 127);
  EXPECT_EQ(rows.back(), s.n_in() - 1);
  std::vector<int> pairs(static_cast<size_t>(s.n_in()));
  for (const Triple& t : s.map.triples) ++pairs[static_cast<size_t>(t.in)];
  const auto most = std::ranges::max_element(pairs) - pairs.begin();
  EXPECT_TRUE(std::ranges::binary_search(rows, most) ||
              std::ranges::count(pairs, pairs[static_cast<size_t>(most)]) > 512);
}

TEST(SampleRows, TakesFewerRowsOfManyChannelsButNeverUnderAThousand) {
  test::Setup s = test::make_setup(Dtype::f32, Direction::fprop, 1, 1, 1, 26);
  s.problem.c_in = s.problem.c_out = 512;
  const double macs_per_row = 512.0 * 512 * static_cast<double>(s.map.triples.size()) /
                              static_cast<double>(s.map.out_coords.size());
  const auto some = verify::sample_rows(s.problem, s.voxels, s.map, 2000.5 * macs_per_row, 1);
  EXPECT_EQ(some.size(), 2000u);
  const auto rows = verify::sample_rows(s.problem, s.voxels, s.map, 0, 1);
  EXPECT_EQ(rows.size(), 1024u);
  EXPECT_EQ(rows[31], 31);
  EXPECT_EQ(rows.back(), s.n_in() - 1);
}

TEST(SampleChannels, IsTheSameProblemWithFewerChannels) {
  const test::Setup s = test::make_setup(Dtype::f32, Direction::wgrad, 40, 33, 1, 5);
  const auto c = test::exact_case(s, verify::Fill::small, 1);
  const auto sample = verify::sample_channels(s.problem, c.operands, 1);
  EXPECT_EQ(sample.in.size(), 16u);
  EXPECT_EQ(sample.in.front(), 0);
  EXPECT_EQ(sample.in.back(), 39);
  EXPECT_EQ(sample.out.back(), 32);
  const auto expected =
      reference::compute_exact(sample.problem, s.map, s.n_in(), test::inputs_of(sample.operands));
  const auto picked = sample.pick(test::simulate(s, c.operands), s.problem);
  EXPECT_EQ(verify::compare_exact(expected.main, picked, Dtype::f32).mismatches, 0);
}

TEST(SampleChannels, TakesWholeGroups) {
  struct Row {
    int c_in, c_out, groups, sampled_groups, sampled_in, sampled_out;
  };
  // 125 offsets: 1000 elements need 8 channels of depthwise, and 16 are taken; 2 groups of 40 x 33
  // channels are of 16 x 16 each.
  for (const Row& row :
       {Row{1, 1, 60, 16, 1, 1}, Row{3, 2, 20, 6, 3, 2}, Row{40, 33, 2, 1, 16, 16}}) {
    test::Setup s = test::grouped(
        test::make_setup(Dtype::f32, Direction::wgrad, row.c_in, row.c_out, 1, 5), row.groups);
    s.problem.geometry.kernel_size = {5, 5, 5};
    s.map = reference::build_map(s.voxels, s.problem.geometry);
    const auto c = test::exact_case(s, verify::Fill::small, 1);
    const auto sample = verify::sample_channels(s.problem, c.operands, 1);
    EXPECT_EQ(sample.problem.groups, row.sampled_groups);
    EXPECT_EQ(sample.problem.group_c_in(), row.sampled_in);
    EXPECT_EQ(sample.problem.group_c_out(), row.sampled_out);
    EXPECT_EQ(sample.in.front(), 0);
    if (row.sampled_groups > 1) {
      EXPECT_EQ(sample.in.back(), s.problem.c_in - 1);
      EXPECT_EQ(sample.out.back(), s.problem.c_out - 1);
    }
    const auto expected =
        reference::compute_exact(sample.problem, s.map, s.n_in(), test::inputs_of(sample.operands));
    const auto picked = sample.pick(test::simulate(s, c.operands), s.problem);
    EXPECT_EQ(verify::compare_exact(expected.main, picked, Dtype::f32).mismatches, 0);
    EXPECT_GE(static_cast<int64_t>(picked.size()), verify::kMinCompared);
  }
}

}  // namespace
}  // namespace spb
