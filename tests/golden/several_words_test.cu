// SPDX-License-Identifier: Apache-2.0
// Masks of four words: submanifold 5x5x5 has 125 offsets, o = (ox * 5 + oy) * 5 + oz, the center
// (2, 2, 2) is offset 62, and d = (ox, oy, oz) - (2, 2, 2). Offset 124 - o leads back.
//
//   row  (batch; x, y, z)   joins
//    0   (0; 0, 0, 0)       itself 62, row 1 by d = (2, 0, 1): (4 * 5 + 2) * 5 + 3 = 113
//    1   (0; 2, 0, 1)       itself 62, row 0 by 124 - 113 = 11
//    2   (1; 0, 0, 0)       itself 62, row 3 by 113, row 4 by d = (2, 0, 0): 112
//    3   (1; 2, 0, 1)       itself 62, row 2 by 11, row 4 by d = (0, 0, -1): 61
//    4   (1; 2, 0, 0)       itself 62, row 2 by 124 - 112 = 12, row 3 by 63
//    5   (2; 0, 0, 0)       itself 62, row 6 by 113, row 7 by d = (0, 0, 1): 63
//    6   (2; 2, 0, 1)       itself 62, row 5 by 11, row 7 by d = (-2, 0, 0): 12
//    7   (2; 0, 0, 1)       itself 62, row 5 by 61, row 6 by 112
#include "golden.h"

namespace spb::golden {
namespace {

using maps::RowOrder;
using SeveralWords = GoldenTest;

const VoxelSet kLongVoxels{{{0, 0, 0, 0},
                            {0, 2, 0, 1},
                            {1, 0, 0, 0},
                            {1, 2, 0, 1},
                            {1, 2, 0, 0},
                            {2, 0, 0, 0},
                            {2, 2, 0, 1},
                            {2, 0, 0, 1}},
                           {3, {3, 3, 3}},
                           {}};
const ConvGeometry kFive{ConvKind::subm, {5, 5, 5}, {1, 1, 1}, {1, 1, 1}};

TEST_F(SeveralWords, NeighborTable) {
  EXPECT_EQ(download(build(upload(kLongVoxels), kFive, {.table = true}).forward.rows),
            table({{{62, 0}, {113, 1}},
                   {{11, 0}, {62, 1}},
                   {{62, 2}, {112, 4}, {113, 3}},
                   {{11, 2}, {61, 4}, {62, 3}},
                   {{12, 2}, {62, 4}, {63, 3}},
                   {{62, 5}, {63, 7}, {113, 6}},
                   {{11, 5}, {12, 7}, {62, 6}},
                   {{61, 5}, {62, 7}, {112, 6}}},
                  125));
}

// Bit o lies in word o / 32: 11 and 12 in word 0; 61, 62, 63 are bits 29, 30, 31 of word 1; 112 and
// 113 are bits 16 and 17 of word 3.
TEST_F(SeveralWords, Masks) {
  const auto maps = build(upload(kLongVoxels), kFive, {.table = true});
  EXPECT_EQ(masks(maps.forward), (std::vector<uint32_t>{
                                     0,      0x40000000, 0, 0x20000,  // 62, 113
                                     0x0800, 0x40000000, 0, 0,        // 11, 62
                                     0,      0x40000000, 0, 0x30000,  // 62, 112, 113
                                     0x0800, 0x60000000, 0, 0,        // 11, 61, 62
                                     0x1000, 0xC0000000, 0, 0,        // 12, 62, 63
                                     0,      0xC0000000, 0, 0x20000,  // 62, 63, 113
                                     0x1800, 0x40000000, 0, 0,        // 11, 12, 62
                                     0,      0x60000000, 0, 0x10000,  // 61, 62, 112
                                 }));
}

// The highest word first: {62, 11}, {62, 12, 11}, {62, 61, 11}, {63, 62, 12}, {112, 62, 61},
// {113, 62}, {113, 63, 62}, {113, 112, 62}.
TEST_F(SeveralWords, PlainOrder) {
  const maps::LayerNeeds needs{.fprop_lists = true, .order = RowOrder::plain};
  EXPECT_EQ(download(build(upload(kLongVoxels), kFive, needs).fprop.order),
            (std::vector<int32_t>{1, 6, 3, 4, 7, 0, 5, 2}));
}

// The place in the Gray sequence has the parity of each bit and all above it, whole masks of
// several words:
//
//   row  mask            ones of its place
//    0   {113, 62}       113 to 63
//    1   {62, 11}        62 to 12
//    2   {113, 112, 62}  113; 62 to 0
//    3   {62, 61, 11}    62; 11 to 0
//    4   {63, 62, 12}    63; 12 to 0
//    5   {113, 63, 62}   113 to 64; 62 to 0
//    6   {62, 12, 11}    62 to 13; 11 to 0
//    7   {112, 62, 61}   112 to 63; 61 to 0
//
// Ascending: of those from 62 on row 3 lacks 61, row 6 lacks 12, row 1 has both; then rows 4 and 7;
// of those from 113 on row 2 lacks 112, row 5 lacks 63, row 0 has both. Rows 5 and 0 differ in
// word 1 alone, below an odd number of bits: by its own Gray place row 0 would come first.
TEST_F(SeveralWords, GrayOrder) {
  const maps::LayerNeeds needs{.fprop_lists = true, .tile_rows = 4};
  const Lists expected{{3, 6, 1, 4, 7, 2, 5, 0},
                       {11, 12, 61, 62, 63, 61, 62, 63, 112, 113},
                       {0, 5, 10},
                       {{2, 5, 0, -1},    // 11, rows 3, 6, 1, 4
                        {-1, 7, -1, 2},   // 12
                        {4, -1, -1, -1},  // 61
                        {3, 6, 1, 4},     // 62
                        {-1, -1, -1, 3},  // 63
                        {5, -1, -1, -1},  // 61, rows 7, 2, 5, 0
                        {7, 2, 5, 0},     // 62
                        {-1, -1, 7, -1},  // 63
                        {6, 4, -1, -1},   // 112
                        {-1, 3, 6, 1}}};  // 113
  expect_lists(build(upload(kLongVoxels), kFive, needs).fprop, expected);
}

}  // namespace
}  // namespace spb::golden
