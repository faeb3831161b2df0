// SPDX-License-Identifier: Apache-2.0
#include "maps/pairs/offset_groups.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "device_fixture.h"
#include "maps/download.h"
#include "maps/pairs/row_jumps.h"
#include "shapes.h"

namespace spb::maps {
namespace {

class Groups : public DeviceTest, public testing::WithParamInterface<int> {
 protected:
  void expect_groups(const char* geometry, const VoxelSet& voxels);
};

void Groups::expect_groups(const char* geometry, const VoxelSet& voxels) {
  SCOPED_TRACE(geometry);
  const int slots = GetParam();
  const ConvGeometry shape =
      parse_problem(std::string(geometry) + " c1:1 f32 wgrad", "test").geometry;
  const DeviceCoords coords = upload(voxels);
  const MadeCoords out = build_made_coords(coords, shape, context());
  const auto map = build_neighbor_map(coords, out, shape, context());
  const OffsetGroups groups = build_offset_groups(*map, slots, context());

  Triples expected = download_pairs(*map, stream_);
  Triples pairs = download_pairs(groups, stream_);
  std::ranges::sort(expected);
  std::ranges::sort(pairs);
  EXPECT_EQ(pairs, expected);

  const std::vector<int32_t> rows = groups.out_index.download(stream_);
  EXPECT_EQ(groups.begin.download(stream_), groups.begin_host);
  ASSERT_EQ(int(groups.begin_host.size()), (shape.kernel_volume() + slots - 1) / slots + 1);
  const RowJumps jumps(map->n_rows);
  for (size_t g = 0; g + 1 < groups.begin_host.size(); ++g) {
    std::vector<bool> has(static_cast<size_t>(map->n_rows));
    for (const Triple& pair : expected)
      if (pair.offset / slots == int(g)) has[static_cast<size_t>(pair.out)] = true;
    std::vector<int32_t> members;
    for (int64_t position = 0; position < map->n_rows; ++position)
      if (const int64_t row = jumps.row(position); has[static_cast<size_t>(row)])
        members.push_back(static_cast<int32_t>(row));
    EXPECT_EQ(std::vector<int32_t>(rows.begin() + groups.begin_host[g],
                                   rows.begin() + groups.begin_host[g + 1]),
              members)
        << "group " << g;
  }
}

TEST_P(Groups, HoldEachPairOnceAndTheirRowsInOrder) {
  const VoxelSet voxels = brute::random_voxels({2, {8, 8, 8}}, 300, 5);
  for (const char* geometry : {"subm k3x3x3 s1x1x1 d1x1x1", "strided k2x2x2 s2x2x2 d1x1x1",
                               "subm k5x5x5 s1x1x1 d1x1x1", "subm k1x1x1 s1x1x1 d1x1x1"})
    expect_groups(geometry, voxels);
}

TEST_P(Groups, TakeTheWindowsOfManyRowsInJumps) {
  expect_groups("subm k3x3x3 s1x1x1 d1x1x1",
                brute::random_voxels({1, {30, 30, 30}}, 3 * RowJumps::kWindow + 100, 5));
}

TEST(OffsetGroups, AreSparseBelowTheShareOfAThirdsChance) {
  // Two offsets, each there with a chance of a third: 5 of 9 rows have either.
  EXPECT_TRUE(are_sparse(14 * 900 * 5 / 9 - 1, 2, 27, 900));
  EXPECT_FALSE(are_sparse(14 * 900 * 5 / 9 + 1, 2, 27, 900));
}

INSTANTIATE_TEST_SUITE_P(Slots, Groups, testing::Values(1, 2, 3, 4));

}  // namespace
}  // namespace spb::maps
