// SPDX-License-Identifier: Apache-2.0
#include "data/mesh_shell.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>

#include "core/error.h"

namespace spb::data {
namespace {

std::vector<Coord> shell(std::vector<Point> points, std::vector<Triangle> triangles = {{0, 1, 2}}) {
  auto cells = mesh_shell(points, triangles);
  std::ranges::sort(cells);
  return cells;
}

TEST(MeshShell, FlatTriangleInsideOneLayer) {
  EXPECT_EQ(shell({{0.1, 0.1, 0.5}, {1.9, 0.1, 0.5}, {0.1, 1.9, 0.5}}),
            (std::vector<Coord>{{0, 0, 0, 0}, {0, 0, 1, 0}, {0, 1, 0, 0}, {0, 1, 1, 0}}));
}

TEST(MeshShell, CornerCellBeyondTheSlantedEdgeIsLeftOut) {
  // x + y <= 1.9 does not reach the cell that starts at (1, 1).
  EXPECT_EQ(shell({{0.1, 0.1, 0.5}, {1.8, 0.1, 0.5}, {0.1, 1.8, 0.5}}),
            (std::vector<Coord>{{0, 0, 0, 0}, {0, 0, 1, 0}, {0, 1, 0, 0}}));
}

TEST(MeshShell, BoxesAreClosed) {
  // In the plane z = 1 the cells on both sides touch.
  EXPECT_EQ(shell({{0.2, 0.2, 1}, {0.8, 0.2, 1}, {0.2, 0.8, 1}}),
            (std::vector<Coord>{{0, 0, 0, 0}, {0, 0, 0, 1}}));
}

TEST(MeshShell, SegmentsAndPointsCount) {
  EXPECT_EQ(shell({{0.5, 0.5, 0.5}, {2.5, 0.5, 0.5}, {1.5, 0.5, 0.5}}).size(), 3u);
  EXPECT_EQ(shell({{-0.5, 0.5, 0.5}, {-0.5, 0.5, 0.5}, {-0.5, 0.5, 0.5}}),
            (std::vector<Coord>{{0, -1, 0, 0}}));
}

TEST(MeshShell, CellsFarAwayAreTheSame) {
  std::vector<Point> points{{0.3, 0.1, 0.7}, {9.4, 3.2, 5.1}, {2.5, 8.8, 7.3}};
  const auto near = shell(points);
  constexpr int32_t kFar = 1 << 30;
  for (Point& p : points) p.x += kFar;
  auto far = shell(points);
  for (Coord& c : far) c.x -= kFar;
  EXPECT_EQ(near, far);
}

TEST(MeshShell, TrianglesWithoutFiniteCornersAreLeftOut) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(shell({{nan, 0, 0}, {1, 0, 0}, {0, 1, 0}}).empty());
}

TEST(MeshShell, TooLargeIsRefused) {
  EXPECT_THROW(shell({{0, 0, 0}, {3e9, 0, 0}, {0, 1, 0}}), Error);
  EXPECT_THROW(shell({{0, 0, 0}, {1e6, 0, 0}, {0, 1e6, 0}}), Error);
}

TEST(MeshShell, ThinTrianglesAreWalkedAlongNotAcross) {
  // In the box around each are 10^10 columns.
  constexpr double kLong = 1e5;
  for (const Point& third : {Point{kLong, kLong, 1e-7}, Point{kLong, kLong, 0}}) {
    const auto cells = shell({{0, 0, 0}, {kLong, kLong, 0}, third});
    EXPECT_GE(cells.size(), 2 * static_cast<size_t>(kLong));
    EXPECT_LE(cells.size(), 8 * static_cast<size_t>(kLong) + 8);
    for (const Coord& c : cells) ASSERT_LE(std::abs(c.x - c.y), 1);
  }
  EXPECT_GE(shell({{0, 0, 0}, {kLong, kLong, kLong}, {kLong, kLong, kLong}}).size(), 100'000u);
}

TEST(MeshShell, ThinTrianglesHaveALengthTogether) {
  EXPECT_THROW(shell({{0, 0, 0}, {2e9, 2e9, 2e9}, {1e9, 1e9, 1e9}}), Error);
  EXPECT_THROW(shell({{0, 0, 0}, {2e4, 0, 0}, {1e4, 0, 0}}, std::vector<Triangle>(300, {0, 1, 2})),
               Error);
  EXPECT_EQ(shell({{0, 0.5, 0.5}, {50, 0.5, 0.5}, {9, 0.5, 0.5}},
                  std::vector<Triangle>(50'000, {0, 1, 2}))
                .size(),
            52u);
}

}  // namespace
}  // namespace spb::data
