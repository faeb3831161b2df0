// SPDX-License-Identifier: Apache-2.0
// Rows along the z curve. No two are within a 3x3x3 kernel of each other, so that all masks are
// equal and the curve alone decides.
//
// A box of 5 cells takes 3 bits an axis. A place is the batch, then x, y, z bits in turn, the
// highest first:
//
//   row  (batch; x, y, z)   x   y   z     place
//    0   (0; 4, 0, 0)      100 000 000   100 000 000 = 256
//    1   (0; 0, 4, 0)      000 100 000   010 000 000 = 128
//    2   (0; 0, 0, 4)      000 000 100   001 000 000 = 64
//    3   (0; 2, 2, 2)      010 010 010   000 111 000 = 56
//    4   (1; 0, 0, 0)      the second batch: behind all of the first
//    5   (0; 0, 0, 0)      0
#include "golden.h"

namespace spb::golden {
namespace {

using ZOrder = GoldenTest;

TEST_F(ZOrder, FollowsTheCurveBatchByBatch) {
  const VoxelSet voxels{
      {{0, 4, 0, 0}, {0, 0, 4, 0}, {0, 0, 0, 4}, {0, 2, 2, 2}, {1, 0, 0, 0}, {0, 0, 0, 0}},
      {2, {5, 5, 5}},
      {}};
  EXPECT_EQ(order(voxels, maps::RowOrder::z), (std::vector<int32_t>{5, 3, 2, 1, 0, 4}));
  // Equal masks: every other order keeps the rows as they come.
  EXPECT_EQ(order(voxels, maps::RowOrder::gray), (std::vector<int32_t>{0, 1, 2, 3, 4, 5}));
}

// A box of 13 + 11 + 9 bits: the lowest two of each axis are left out, and rows of a cell of 4 x 4
// x 4 stay as they come. Rows 0 and 1 share one; the cells of 2 and 3 begin at places 4 and 0 along
// z.
TEST_F(ZOrder, LeavesOutTheLowestBitsOfLargeBoxes) {
  const Box large{1, {1 << 13, 1 << 11, 1 << 9}};
  const VoxelSet voxels{{{0, 10, 2, 2}, {0, 8, 0, 0}, {0, 0, 0, 6}, {0, 0, 0, 2}}, large, {}};
  EXPECT_EQ(order(voxels, maps::RowOrder::z), (std::vector<int32_t>{3, 2, 0, 1}));
  const VoxelSet same{voxels.coords, {1, {16, 16, 16}}, {}};
  EXPECT_EQ(order(same, maps::RowOrder::z), (std::vector<int32_t>{3, 2, 1, 0}));
}

}  // namespace
}  // namespace spb::golden
