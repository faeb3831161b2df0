// SPDX-License-Identifier: Apache-2.0
// Strided convolutions: p = u * stride + (o - center) * dilation, center = floor((k - 1) / 2), for
// every u of the output box that is reached, in lexicographic order.
#include "golden.h"

namespace spb::golden {
namespace {

using maps::RowOrder;
using Strided = GoldenTest;

// Kernel 2x2x2, stride 2, two batches, box 5x4x4: the center is 0, d = (ox, oy, oz), so that
// u = floor(p / 2), the rest is the offset, and the output box is 3x2x2.
//
//   p  (batch; x, y, z)  u              o
//   0  (0; 1, 1, 1)      (0; 0, 0, 0)   (1, 1, 1) = 7
//   1  (0; 0, 0, 0)      (0; 0, 0, 0)   (0, 0, 0) = 0
//   2  (0; 4, 3, 0)      (0; 2, 1, 0)   (0, 1, 0) = 2
//   3  (1; 1, 0, 1)      (1; 0, 0, 0)   (1, 0, 1) = 5
const VoxelSet kCells{{{0, 1, 1, 1}, {0, 0, 0, 0}, {0, 4, 3, 0}, {1, 1, 0, 1}}, {2, {5, 4, 4}}, {}};
const ConvGeometry kHalve{ConvKind::strided, {2, 2, 2}, {2, 2, 2}, {1, 1, 1}};
const std::vector<Coord> kCellsOut{{0, 0, 0, 0}, {0, 2, 1, 0}, {1, 0, 0, 0}};

TEST_F(Strided, EvenKernel) {
  const maps::DeviceCoords in = upload(kCells);
  const maps::MadeCoords out = maps::build_made_coords(in, kHalve, context());
  EXPECT_EQ(download(out), kCellsOut);
  EXPECT_EQ(out.box, (Box{2, {3, 2, 2}}));
  const maps::LayerMaps maps =
      build(in, kHalve, {.table = true, .reverse_table = true, .pairs = true});
  EXPECT_EQ(download(maps.forward.rows), table({{{0, 1}, {7, 0}}, {{2, 2}}, {{5, 3}}}, 8));
  EXPECT_EQ(masks(maps.forward), (std::vector<uint32_t>{0x81, 0x04, 0x20}));
  EXPECT_EQ(download(maps.reverse.rows), table({{{7, 0}}, {{0, 0}}, {{2, 1}}, {{5, 2}}}, 8));
  // By offsets 0, 2, 5, 7.
  EXPECT_EQ(download(maps.pairs.fine_index), (std::vector<int32_t>{1, 2, 3, 0}));
  EXPECT_EQ(download(maps.pairs.coarse_index), (std::vector<int32_t>{0, 1, 2, 0}));
  EXPECT_EQ(download(maps.pairs.offset_begin), (std::vector<int64_t>{0, 1, 1, 2, 2, 2, 3, 3, 4}));
}

TEST_F(Strided, EvenKernelInTheReference) {
  expect_reference(kCells, kHalve, kCellsOut, {{0, 0, 1}, {2, 1, 2}, {5, 2, 3}, {7, 0, 0}});
}

// Tiles of two rows. Output masks 0x81, 0x04, 0x20 ascend as rows 1, 2, 0; input rows have the
// masks 0x80, 0x01, 0x04, 0x20, which ascend as rows 1, 2, 3, 0.
TEST_F(Strided, EvenKernelTileLists) {
  const maps::LayerNeeds needs{
      .fprop_lists = true, .dgrad_lists = true, .tile_rows = 2, .order = RowOrder::plain};
  const maps::LayerMaps maps = build(upload(kCells), kHalve, needs);
  expect_lists(maps.fprop, {{1, 2, 0},
                            {2, 5, 0, 7},
                            {0, 2, 4},
                            {{2, -1},
                             {-1, 3},  // output rows 1, 2 read input rows
                             {1, -1},
                             {0, -1}}});  // output row 0
  expect_lists(maps.dgrad, {{1, 2, 3, 0},
                            {0, 2, 5, 7},
                            {0, 2, 4},
                            {{0, -1},
                             {-1, 1},  // input rows 1, 2 read output rows
                             {2, -1},
                             {-1, 0}}});  // input rows 3, 0
}

// Kernel 4x1x3, stride 2x1x1, dilation 1x1x2, box 4x1x4: the center is (1, 0, 1), d_x is -1, 0, 1
// or 2, d_z is -2, 0 or 2, the output box 2x1x4, and o = ox * 3 + oz.
//
//   p = (2, 0, 1):  2 ux = 2 - d_x:  ux = 0 by ox = 3, ux = 1 by ox = 1
//                     uz = 1 - d_z:  uz = 3 by oz = 0, uz = 1 by oz = 1
//   q = (3, 0, 3):  2 ux = 3 - d_x:  ux = 1 by ox = 2; ux = 2 by ox = 0 is outside
//                     uz = 3 - d_z:  uz = 3 by oz = 1, uz = 1 by oz = 2; uz = 5 is outside
//
//   u             from row 0, p    from row 1, q
//   0  (0, 0, 1)  3 * 3 + 1 = 10   -
//   1  (0, 0, 3)  3 * 3 + 0 = 9    -
//   2  (1, 0, 1)  1 * 3 + 1 = 4    2 * 3 + 2 = 8
//   3  (1, 0, 3)  1 * 3 + 0 = 3    2 * 3 + 1 = 7
const VoxelSet kTwo{{{0, 2, 0, 1}, {0, 3, 0, 3}}, {1, {4, 1, 4}}, {}};
const ConvGeometry kDilated{ConvKind::strided, {4, 1, 3}, {2, 1, 1}, {1, 1, 2}};
const std::vector<Coord> kTwoOut{{0, 0, 0, 1}, {0, 0, 0, 3}, {0, 1, 0, 1}, {0, 1, 0, 3}};

TEST_F(Strided, EvenAndOddAxesWithDilation) {
  const maps::DeviceCoords in = upload(kTwo);
  const maps::MadeCoords out = maps::build_made_coords(in, kDilated, context());
  EXPECT_EQ(download(out), kTwoOut);
  EXPECT_EQ(out.box, (Box{1, {2, 1, 4}}));
  const maps::LayerMaps maps =
      build(in, kDilated, {.table = true, .reverse_table = true, .pairs = true});
  EXPECT_EQ(download(maps.forward.rows),
            table({{{10, 0}}, {{9, 0}}, {{4, 0}, {8, 1}}, {{3, 0}, {7, 1}}}, 12));
  EXPECT_EQ(download(maps.reverse.rows),
            table({{{3, 3}, {4, 2}, {9, 1}, {10, 0}}, {{7, 3}, {8, 2}}}, 12));
  // By offsets 3, 4, 7, 8, 9, 10.
  EXPECT_EQ(download(maps.pairs.fine_index), (std::vector<int32_t>{0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(download(maps.pairs.coarse_index), (std::vector<int32_t>{3, 2, 3, 2, 1, 0}));
  EXPECT_EQ(download(maps.pairs.offset_begin),
            (std::vector<int64_t>{0, 0, 0, 0, 1, 2, 2, 2, 3, 4, 5, 6, 6}));
}

TEST_F(Strided, EvenAndOddAxesInTheReference) {
  expect_reference(kTwo, kDilated, kTwoOut,
                   {{3, 3, 0}, {4, 2, 0}, {7, 3, 1}, {8, 2, 1}, {9, 1, 0}, {10, 0, 0}});
}

}  // namespace
}  // namespace spb::golden
