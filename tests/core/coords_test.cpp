// SPDX-License-Identifier: Apache-2.0
#include "core/coords.h"

#include <gtest/gtest.h>
#include <limits>

#include "core/error.h"

namespace spb {
namespace {

constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
constexpr int32_t kMax = std::numeric_limits<int32_t>::max();

TEST(Coord, IsOne16ByteRowOrderedByBatchThenX) {
  static_assert(sizeof(Coord) == 16 && alignof(Coord) == 16);
  EXPECT_LT((Coord{0, 9, 9, 9}), (Coord{1, 0, 0, 0}));
  EXPECT_LT((Coord{0, 1, 9, 9}), (Coord{0, 2, 0, 0}));
  EXPECT_LT((Coord{0, 1, 1, 9}), (Coord{0, 1, 2, 0}));
}

TEST(SurfaceShare, IsOfASideOfTheCubeOfAsManyCells) {
  EXPECT_DOUBLE_EQ(surface_share(100, {1, {10, 10, 10}}), 1);
  EXPECT_DOUBLE_EQ(surface_share(100, {4, {10, 10, 10}}), 0.25) << "of one entry of the batch";
  EXPECT_DOUBLE_EQ(surface_share(50, {1, {1, 1000, 1}}), 0.5);
  EXPECT_EQ(surface_share(0, {1, {0, 0, 0}}), 0);
  // Beyond 2^63 cells.
  EXPECT_DOUBLE_EQ(surface_share(1, {1, {1 << 30, 1 << 30, 1 << 30}}), 0x1p-60);
}

TEST(FitBox, ShiftsEachAxisToZeroAndKeepsTheOrder) {
  const VoxelSet set = fit_box({{1, 5, -3, 7}, {0, 4, 6, 7}});
  EXPECT_EQ(set.coords, (std::vector<Coord>{{1, 1, 0, 0}, {0, 0, 9, 0}}));
  EXPECT_EQ(set.origin, (Int3{4, -3, 7}));
  EXPECT_EQ(set.box, (Box{.batch_size = 2, .shape = {2, 10, 1}}));
}

TEST(FitBox, EmptyStaysEmpty) {
  const VoxelSet set = fit_box({});
  EXPECT_EQ(set.size(), 0);
  EXPECT_EQ(set.box.shape, (Int3{0, 0, 0}));
}

TEST(FitBox, SpansUpTo31BitsFitAndMoreAreRefused) {
  const VoxelSet set = fit_box({{0, kMin, 0, 0}, {0, -2, 0, 0}});
  EXPECT_EQ(set.box.shape[0], kMax);
  EXPECT_EQ(set.coords[1].x, kMax - 1);
  try {
    fit_box({{0, 0, kMin, 0}, {0, 0, -1, 0}});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::runtime);
    EXPECT_NE(std::string(error.what()).find("axis y spans 2147483648 cells"), std::string::npos);
  }
  EXPECT_THROW(fit_box({{0, 0, 0, kMin}, {0, 0, 0, kMax}}), Error);
}

}  // namespace
}  // namespace spb
