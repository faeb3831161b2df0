// SPDX-License-Identifier: Apache-2.0
#include "data/voxelize.h"

#include <cmath>
#include <limits>

#include "data/cloud_of.h"

namespace spb::data {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

PointCloud coords_of(std::vector<Coord> coords) {
  PointCloud cloud;
  cloud.coords = std::move(coords);
  cloud.is_coords = true;
  return cloud;
}

TEST(Voxelize, FloorsAndMergesInOrderOfFirstAppearance) {
  VoxelizeReport report;
  const VoxelSet set = voxelize(
      cloud_of({{0.5, 0, 0}, {-0.5, 0, 0}, {0.9, 0.9, 0.9}, {kNan, 0, 0}, {1, kInfinity, 0}}),
      {.voxel_size = 1.0}, &report);
  EXPECT_EQ(set.coords, (std::vector<Coord>{{0, 1, 0, 0}, {0, 0, 0, 0}}));
  EXPECT_EQ(set.origin, (Int3{-1, 0, 0}));
  EXPECT_EQ(set.box.shape, (Int3{2, 1, 1}));
  EXPECT_EQ(report.points, 5);
  EXPECT_EQ(report.dropped, 2);
  EXPECT_EQ(report.merged, 1);
}

TEST(Voxelize, DividesInsteadOfMultiplyingByTheReciprocal) {
  // 0.15 / 0.05 and 0.15 * (1 / 0.05) fall on two sides of a voxel face; so do others.
  int64_t differing = 0;
  for (int i = 1; i < 2000; ++i) {
    const double p = i * 0.005, size = 0.005;
    const VoxelSet set = voxelize(cloud_of({{p, 0, 0}}), {.voxel_size = size});
    EXPECT_EQ(set.origin[0], static_cast<int32_t>(std::floor(p / size)));
    differing += std::floor(p / size) != std::floor(p * (1 / size));
  }
  EXPECT_GT(differing, 0) << "the test would not see the difference";
}

TEST(Voxelize, KeepsDoublesOfMapCoordinates) {
  const VoxelSet set =
      voxelize(cloud_of({{597000.01, 0, 0}, {597000.03, 0, 0}}), {.voxel_size = 0.02});
  EXPECT_EQ(set.size(), 2);
}

TEST(Voxelize, SubtractsTheOrigin) {
  VoxelizeOptions options{.voxel_size = 1.0};
  options.origin = {0.5, 0, -0.25};
  EXPECT_EQ(voxelize(cloud_of({{0.4, 0, 0.8}}), options).origin, (Int3{-1, 0, 1}));
}

TEST(Voxelize, ResolutionSpansTheLongestSide) {
  const VoxelSet set = voxelize(cloud_of({{10, 0, 0}, {20, 5, 0}, {15, 2, 0}}), {.resolution = 64});
  EXPECT_EQ(set.origin[0], 0);
  EXPECT_EQ(set.box.shape[0], 64);
  EXPECT_EQ(set.box.shape[1], 32);
  EXPECT_EQ(voxelize(cloud_of({{7, 7, 7}, {7, 7, 7}}), {.resolution = 64}).size(), 1);
}

TEST(Voxelize, NothingInNothingOut) {
  EXPECT_EQ(voxelize(cloud_of({}), {.voxel_size = 1.0}).size(), 0);
  EXPECT_EQ(voxelize(coords_of({}), {}).size(), 0);
}

TEST(Voxelize, UnusableOptionsAreUsageErrors) {
  const PointCloud cloud = cloud_of({{1, 2, 3}});
  EXPECT_TRUE(contains(voxelize_error(cloud, {}, ExitCode::usage), "--voxel-size"));
  for (const double size : {0.0, -1.0, kNan, kInfinity})
    voxelize_error(cloud, {.voxel_size = size}, ExitCode::usage);
  EXPECT_NE(voxelize_error(cloud, {.voxel_size = 0.0}, ExitCode::usage), "accepted");
  EXPECT_NE(voxelize_error(cloud, {.voxel_size = kNan}, ExitCode::usage), "accepted");
  EXPECT_NE(voxelize_error(cloud, {.resolution = 0}, ExitCode::usage), "accepted");
  EXPECT_NE(voxelize_error(cloud, {.voxel_size = 1.0, .resolution = 8}, ExitCode::usage),
            "accepted");
}

TEST(Voxelize, UnusablePointsAreInputErrors) {
  EXPECT_TRUE(contains(voxelize_error(cloud_of({{kNan, 0, 0}, {0, kNan, 0}}), {.voxel_size = 1.0},
                                      ExitCode::runtime),
                       "all 2 are NaN"));
  EXPECT_TRUE(contains(
      voxelize_error(cloud_of({{0, 0, 0}, {0, 3e9, 0}}), {.voxel_size = 1.0}, ExitCode::runtime),
      "point 1 "));
  EXPECT_TRUE(contains(voxelize_error(cloud_of({{-1.6e308, 0, 0}, {1.6e308, 0, 0}}),
                                      {.resolution = 8}, ExitCode::runtime),
                       "wider"));
}

TEST(Voxelize, RepeatedCoordsNeedMerge) {
  const PointCloud cloud = coords_of({{0, 1, 1, 1}, {1, 1, 1, 1}, {0, 1, 1, 1}, {0, 1, 1, 1}});
  const std::string error = voxelize_error(cloud, {}, ExitCode::runtime);
  EXPECT_TRUE(contains(error, "row 2: repeats the voxel of row 0; 2 rows"));
  VoxelizeOptions merge;
  merge.merge = true;
  VoxelizeReport report;
  EXPECT_EQ(voxelize(cloud, merge, &report).size(), 2);
  EXPECT_EQ(report.merged, 2);
  EXPECT_TRUE(report.was_coords);
  EXPECT_TRUE(contains(voxelize_error(coords_of({{-1, 0, 0, 0}}), {}, ExitCode::runtime), "batch"));
}

TEST(VoxelizeTraps, TruncationIsNotFloor) {
  SPB_SCAN_OR_SKIP(path, "ouster_os2-128_street.bin");
  PointCloud cloud = read_file(path);
  const int64_t floored = voxelize(cloud, {.voxel_size = 0.1}).size();
  for (Point& p : cloud.points)
    p = {std::trunc(p.x / 0.1) + 0.5, std::trunc(p.y / 0.1) + 0.5, std::trunc(p.z / 0.1) + 0.5};
  EXPECT_EQ(floored, 79038);
  EXPECT_EQ(voxelize(cloud, {.voxel_size = 1.0}).size(), 78268);
}

}  // namespace
}  // namespace spb::data
