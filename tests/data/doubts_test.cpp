// SPDX-License-Identifier: Apache-2.0
#include "data/doubts.h"

#include <gtest/gtest.h>

#include "data/generate.h"

namespace spb::data {
namespace {

VoxelSet lattice(int side, int pitch) {
  std::vector<Coord> coords;
  for (int x = 0; x < side; ++x)
    for (int y = 0; y < side; ++y)
      for (int z = 0; z < side; ++z) coords.push_back({0, x * pitch, y * pitch, z * pitch});
  return fit_box(std::move(coords));
}

TEST(Doubts, IsolatedHaveNoNeighborInAnyDirection) {
  EXPECT_EQ(isolated_share({}), 0);
  EXPECT_EQ(isolated_share(lattice(8, 2)), 1);
  EXPECT_EQ(isolated_share(lattice(8, 1)), 0);
  VoxelSet corners = fit_box({{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 9, 9, 9}, {1, 9, 9, 8}});
  EXPECT_EQ(isolated_share(corners), 0.5);  // another batch is no neighbor
  EXPECT_EQ(isolated_share(fit_box({{0, 0, 0, 0}, {0, INT32_MAX - 1, 0, 0}})), 1);
}

TEST(Doubts, AThinLatticeIsOdd) {
  const VoxelizeReport points{.points = 5000};
  EXPECT_NE(doubt(lattice(17, 2), points).find("100 % of the 4913 voxels have no neighbor"),
            std::string::npos);
  EXPECT_EQ(doubt(lattice(17, 1), points), "");
  EXPECT_EQ(doubt({}, points), "");
}

TEST(Doubts, ManyPointsInFewCellsAreOdd) {
  EXPECT_NE(doubt(lattice(3, 1), {.points = 5000}).find("a box of 3x3x3 cells"), std::string::npos);
  EXPECT_EQ(doubt(lattice(3, 1), {.points = 27}), "");
  EXPECT_EQ(doubt(lattice(3, 1), {.points = 5000, .was_coords = true}), "");
}

TEST(Doubts, GeneratedScenesAreNot) {
  for (const char* scene : {"lidar", "indoor", "sphere:32"})
    EXPECT_LT(isolated_share(generate(scene, 1)), 0.5) << scene;
}

}  // namespace
}  // namespace spb::data
