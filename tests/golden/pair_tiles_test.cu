// SPDX-License-Identifier: Apache-2.0
// Tiles of pairs worked by hand.
#include "maps/pairs/pair_tiles.h"

#include "golden.h"

namespace spb::golden {
namespace {

using PairTilesLayout = GoldenTest;

// Submanifold 1x1x3. Row 0 lies at z = 1, row 1 at z = 0, row 2 at z = 5; d = o - 1 along z.
//
//   pairs   o = 0: out 0 from in 1     o = 1: 0 from 0, 1 from 1, 2 from 2     o = 2: 1 from 0
//
// Tiles of two: one of offset 0, two of offset 1, one of offset 2; x = no pair.
//
//   position   0  1 | 2  3 | 4  5 | 6  7
//   offset     0      1      1      2
//   out        0  x   0  1   2  x   1  x
//   in         1  x   0  1   2  x   0  x
TEST_F(PairTilesLayout, IsThatWorkedByHand) {
  const VoxelSet voxels{{{0, 0, 0, 1}, {0, 0, 0, 0}, {0, 0, 0, 5}}, {1, {1, 1, 6}}, {}};
  const ConvGeometry geometry{.kernel_size = {1, 1, 3}};
  const maps::DeviceCoords coords = upload(voxels);
  const maps::LayerMaps maps = build(coords, geometry, {.pairs = true});
  const std::vector<std::vector<int32_t>> out{{0, -1}, {0, 1}, {2, -1}, {1, -1}},
      in{{1, -1}, {0, 1}, {2, -1}, {0, -1}};
  const std::vector<int32_t> out_order{0, -1, 0, 1, 2, -1, 1, -1},
      in_order{1, -1, 0, 1, 2, -1, 0, -1};

  const maps::PairTiles fprop = maps::build_pair_tiles(maps.pairs, false, 2, context());
  EXPECT_EQ(fprop.tile_begin, (std::vector<int64_t>{0, 1, 3, 4}));
  expect_lists(fprop.lists, {out_order, {0, 1, 1, 2}, {0, 1, 2, 3, 4}, in});
  EXPECT_EQ(download(maps::position_table(fprop, 3, context())),
            table({{{0, 0}, {1, 2}}, {{1, 3}, {2, 6}}, {{1, 4}}}, 3));

  const maps::PairTiles dgrad = maps::build_pair_tiles(maps.pairs, true, 2, context());
  EXPECT_EQ(dgrad.tile_begin, fprop.tile_begin);
  expect_lists(dgrad.lists, {in_order, {0, 1, 1, 2}, {0, 1, 2, 3, 4}, out});
  EXPECT_EQ(download(maps::position_table(dgrad, 3, context())),
            table({{{1, 2}, {2, 6}}, {{0, 0}, {1, 3}}, {{1, 4}}}, 3));
}

}  // namespace
}  // namespace spb::golden
