// SPDX-License-Identifier: Apache-2.0
// A submanifold 3x3x3 convolution of four voxels in two batches.
//
//   row  (batch; x, y, z)
//    0   (0; 1, 1, 1)
//    1   (0; 1, 1, 2)    next to row 0 along z
//    2   (0; 2, 1, 1)    next to row 0 along x, and diagonal to row 1
//    3   (1; 1, 1, 2)    the cell of row 1, but of another batch: alone
//
// Output u and input p are joined by offset o when p = u + d, d = (ox, oy, oz) - (1, 1, 1) and
// o = (ox * 3 + oy) * 3 + oz. From the coords:
//
//   u  p    d            (ox, oy, oz)    o
//   0  0    ( 0, 0,  0)  (1, 1, 1)      13
//   0  1    ( 0, 0,  1)  (1, 1, 2)      14
//   0  2    ( 1, 0,  0)  (2, 1, 1)      22
//   1  0    ( 0, 0, -1)  (1, 1, 0)      12 = 26 - 14
//   1  1    ( 0, 0,  0)  (1, 1, 1)      13
//   1  2    ( 1, 0, -1)  (2, 1, 0)      21
//   2  0    (-1, 0,  0)  (0, 1, 1)       4 = 26 - 22
//   2  1    (-1, 0,  1)  (0, 1, 2)       5 = 26 - 21
//   2  2    ( 0, 0,  0)  (1, 1, 1)      13
//   3  3    ( 0, 0,  0)  (1, 1, 1)      13
#include "golden.h"

namespace spb::golden {
namespace {

using maps::RowOrder;

const VoxelSet kFourVoxels{
    {{0, 1, 1, 1}, {0, 1, 1, 2}, {0, 2, 1, 1}, {1, 1, 1, 2}}, {2, {4, 4, 4}}, {}};

using Submanifold = GoldenTest;

TEST_F(Submanifold, NeighborTable) {
  EXPECT_EQ(download(build(upload(kFourVoxels), {}, {.table = true}).forward.rows),
            table({{{13, 0}, {14, 1}, {22, 2}},
                   {{12, 0}, {13, 1}, {21, 2}},
                   {{4, 0}, {5, 1}, {13, 2}},
                   {{13, 3}}},
                  27));
}

TEST_F(Submanifold, Masks) {
  const auto maps = build(upload(kFourVoxels), {}, {.table = true});
  EXPECT_EQ(masks(maps.forward), (std::vector<uint32_t>{
                                     0x00406000,  // 22, 14, 13
                                     0x00203000,  // 21, 13, 12
                                     0x00002030,  // 13, 5, 4
                                     0x00002000,  // 13
                                 }));
}

// By offset, and by output row inside of an offset.
TEST_F(Submanifold, PairLists) {
  const maps::LayerMaps maps = build(upload(kFourVoxels), {}, {.pairs = true});
  const maps::KernelMap& pairs = maps.pairs;
  // By offsets 4, 5, 12, 13, 13, 13, 13, 14, 21, 22.
  EXPECT_EQ(download(pairs.fine_index), (std::vector<int32_t>{0, 1, 0, 0, 1, 2, 3, 1, 2, 2}));
  EXPECT_EQ(download(pairs.coarse_index), (std::vector<int32_t>{2, 2, 1, 0, 1, 2, 3, 0, 1, 0}));
  const std::vector<int64_t> begin{0,  0,  0,  0,  0,        // to offset 4
                                   1,                        // 5
                                   2,  2,  2,  2,  2, 2, 2,  // 6 to 12
                                   3,                        // 13
                                   7,                        // 14
                                   8,  8,  8,  8,  8, 8, 8,  // 15 to 21
                                   9,                        // 22
                                   10, 10, 10, 10, 10};      // 23 to 26, and the end
  EXPECT_EQ(download(pairs.offset_begin), begin);
  EXPECT_EQ(pairs.offset_begin_host, begin);
}

TEST_F(Submanifold, ReferenceMap) {
  expect_reference(kFourVoxels, {}, kFourVoxels.coords,
                   {{4, 2, 0},
                    {5, 2, 1},
                    {12, 1, 0},
                    {13, 0, 0},
                    {13, 1, 1},
                    {13, 2, 2},
                    {13, 3, 3},
                    {14, 0, 1},
                    {21, 1, 2},
                    {22, 0, 2}});
}

// Masks as numbers, ascending: 0x2000 of row 3, 0x2030, 0x203000, 0x406000.
TEST_F(Submanifold, PlainOrder) {
  EXPECT_EQ(order(kFourVoxels, RowOrder::plain), (std::vector<int32_t>{3, 2, 1, 0}));
}

// Gray keys leave the center out and put near offsets below far ones, each group ascending:
//
//   bits 0 to 5    faces    4 10 12 14 16 22
//   bits 6 to 17   edges    1 3 5 7 9 11 15 17 19 21 23 25
//
//   row  offsets   bits     packed   place in the Gray sequence: each bit xor all above it
//    0   14, 22    3, 5     0x28     bits 5, 4             = 48
//    1   12, 21    2, 15    0x8004   bits 15 to 3          = 65528
//    2   4, 5      0, 8     0x101    bits 8 to 1           = 510
//    3   -                  0        0
TEST_F(Submanifold, GrayOrder) {
  EXPECT_EQ(order(kFourVoxels, RowOrder::gray), (std::vector<int32_t>{3, 0, 2, 1}));
}

// Rows 0 and 1 are a window, 2 and 3 another; Gray places decide inside of each.
TEST_F(Submanifold, WindowOrder) {
  EXPECT_EQ(order(kFourVoxels, RowOrder::window, 2), (std::vector<int32_t>{0, 1, 3, 2}));
}

// All rows lie in one window along the z curve, where Gray places decide.
TEST_F(Submanifold, ZOrder) {
  EXPECT_EQ(order(kFourVoxels, RowOrder::z), (std::vector<int32_t>{3, 0, 2, 1}));
}

// Rows 3 and 0 are a tile, 2 and 1 another; each lists what any of its rows has.
TEST_F(Submanifold, TileLists) {
  const maps::LayerNeeds needs{.fprop_lists = true, .tile_rows = 2};
  expect_lists(build(upload(kFourVoxels), {}, needs).fprop, {{3, 0, 2, 1},
                                                             {13, 14, 22, 4, 5, 12, 13, 21},
                                                             {0, 3, 8},
                                                             {{3, 0},
                                                              {-1, 1},
                                                              {-1, 2},  // rows 3, 0
                                                              {0, -1},
                                                              {1, -1},
                                                              {-1, 0},
                                                              {2, 1},
                                                              {-1, 2}}});  // rows 2, 1
}

// Tiles of three: the second has row 1 and two places past the end.
TEST_F(Submanifold, LastTileIsPadded) {
  const maps::LayerNeeds needs{.fprop_lists = true, .tile_rows = 3};
  expect_lists(build(upload(kFourVoxels), {}, needs).fprop, {{3, 0, 2, 1},
                                                             {4, 5, 13, 14, 22, 12, 13, 21},
                                                             {0, 5, 8},
                                                             {{-1, -1, 0},
                                                              {-1, -1, 1},
                                                              {3, 0, 2},
                                                              {-1, 1, -1},
                                                              {-1, 2, -1},  // rows 3, 0, 2
                                                              {0, -1, -1},
                                                              {1, -1, -1},
                                                              {2, -1, -1}}});  // row 1
}

// Two segments: offsets 0 to 13 and 14 to 26, the second beginning at 27 / 2 rounded up. Keys are
// packed anew in each:
//
//   segment 0   faces 4 10 12 are bits 0 to 2, edges 1 3 5 7 9 11 bits 3 to 8
//     row 0: -    0        row 1: 12, bit 2   place 7
//     row 3: -    0        row 2: 4, 5, bits 0, 5   place 62
//   segment 1   faces 14 16 22 are bits 0 to 2, edges 15 17 19 21 23 25 bits 3 to 8
//     rows 2, 3: -    0    row 0: 14, 22, bits 0, 2   place 6    row 1: 21, bit 6   place 127
TEST_F(Submanifold, Segments) {
  const maps::LayerNeeds needs{.fprop_lists = true, .tile_rows = 2, .segments = 2};
  expect_lists(build(upload(kFourVoxels), {}, needs).fprop,
               {{0, 3, 1, 2, 2, 3, 0, 1},
                {13, 4, 5, 12, 13, 14, 21, 22},
                {0, 1, 5, 5, 8},  // the tile of rows 2 and 3 has nothing in segment 1
                {{0, 3},          // rows 0, 3 of segment 0
                 {-1, 0},
                 {-1, 1},
                 {0, -1},
                 {1, 2},  // rows 1, 2
                 {1, -1},
                 {-1, 2},
                 {2, -1}}});  // rows 0, 1 of segment 1
}

}  // namespace
}  // namespace spb::golden
