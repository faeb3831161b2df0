// SPDX-License-Identifier: Apache-2.0
// Voxels of a range, of edges per axis, and of a cylinder.
#include <cmath>
#include <limits>
#include <numbers>

#include "data/cloud_of.h"

namespace spb::data {
namespace {

TEST(Voxelize, TakesAnEdgePerAxis) {
  const VoxelSet set = voxelize(cloud_of({{1, 1, 1}, {-0.1, 0.9, 0.3}, {1.1, 1.1, 1.1}}),
                                {.voxel_size = VoxelSize(0.5, 1, 0.25)});
  // Cells (2,1,4), (-1,0,1), (2,1,4).
  EXPECT_EQ(set.origin, (Int3{-1, 0, 1}));
  EXPECT_EQ(set.coords, (std::vector<Coord>{{0, 3, 1, 3}, {0, 0, 0, 0}}));
  EXPECT_EQ(set.box.shape, (Int3{4, 2, 4}));
}

TEST(Crop, FixesOriginAndBoxAndCountsWhatIsOutside) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  VoxelizeReport report;
  const VoxelSet set = voxelize(
      cloud_of({{0, -2, 1},         // the lowest corner: (0,0,0)
                {4, 0, 1.5},        // on the upper face: outside
                {3.9, 1.99, 1.99},  // the last cell: (7,3,3)
                {3.6, 1.1, 1.8},    // the same
                {-1e-9, 0, 1.5},    // below
                {1, 0, 2},          // above
                {1e300, 0, 1.5},    // beyond int32, and outside
                {nan, 0, 1.5},
                {1.2, 0.5, 1.3}}),  // (2,2,1)
      {.voxel_size = VoxelSize(0.5, 1, 0.25), .range = CropRange{{0, -2, 1}, {4, 2, 2}}}, &report);
  EXPECT_EQ(set.coords, (std::vector<Coord>{{0, 0, 0, 0}, {0, 7, 3, 3}, {0, 2, 2, 1}}));
  EXPECT_EQ(set.box, (Box{1, {8, 4, 4}}));
  EXPECT_EQ(set.origin, (Int3{0, 0, 0}));
  EXPECT_EQ(report.points, 9);
  EXPECT_EQ(report.dropped, 1);
  EXPECT_EQ(report.outside, 4);
  EXPECT_EQ(report.merged, 1);
}

TEST(Crop, DropsWhatIsBeyondTheLastWholeVoxel) {
  VoxelizeReport report;
  const VoxelSet set =
      voxelize(cloud_of({{9.5, 0, 0}, {10.2, 0, 0}, {0, 10.55, 0}, {0, 10.6, 0}, {0, 10.7, 0}}),
               {.voxel_size = 1.0, .range = CropRange{{0, 0, 0}, {10.4, 10.6, 1}}}, &report);
  // 10.4 holds 10 voxels, 10.6 holds 11, of which the last ends with the range.
  EXPECT_EQ(set.box.shape, (Int3{10, 11, 1}));
  EXPECT_EQ(set.coords, (std::vector<Coord>{{0, 9, 0, 0}, {0, 0, 10, 0}}));
  EXPECT_EQ(report.outside, 3);
}

TEST(Crop, KeepsNoPointThatRoundsBeyondTheBox) {
  const double below = std::nextafter(0.9, 0);
  ASSERT_EQ(std::floor(below / 0.3), 3) << "the range has cells 0, 1 and 2";
  VoxelizeReport report;
  const VoxelSet set = voxelize(
      cloud_of({{below, 0, 0}, {0.5, 0, 0}}),
      {.voxel_size = VoxelSize(0.3, 1, 1), .range = CropRange{{0, 0, 0}, {0.9, 1, 1}}}, &report);
  EXPECT_EQ(set.coords, (std::vector<Coord>{{0, 1, 0, 0}}));
  EXPECT_EQ(report.outside, 1);
}

TEST(Crop, RefusesWhatDoesNotGoTogether) {
  const CropRange range{{0, 0, 0}, {4, 4, 4}};
  const auto usage_message = [](const VoxelizeOptions& options) {
    return voxelize_error(cloud_of({{1, 2, 3}}), options, ExitCode::usage);
  };
  EXPECT_NE(usage_message({.range = range}).find("--voxel-size: missing"), std::string::npos);
  EXPECT_NE(usage_message({.resolution = 8, .range = range}).find("--range: --resolution"),
            std::string::npos);
  EXPECT_NE(usage_message({.resolution = 8, .frame = Frame::cylinder}).find("--frame: "),
            std::string::npos);
  EXPECT_NE(usage_message({.voxel_size = 5.0, .range = range}).find("less than one voxel"),
            std::string::npos);
  EXPECT_NE(usage_message({.voxel_size = VoxelSize(1, 1, -1)}), "accepted");
  EXPECT_NE(voxelize_error(cloud_of({{9, 9, 9}, {8, 8, 8}}), {.voxel_size = 1.0, .range = range},
                           ExitCode::runtime)
                .find("--range 0,0,0:4,4,4: holds none of 2 points"),
            std::string::npos);
}

TEST(Cylinder, HasDistanceAngleAndHeight) {
  constexpr double kQuarter = std::numbers::pi / 4;
  // (5, 0.927, 1), (2.193, -2.388, 0.1), (5.5, 1.6, -1) in edges of 1, 0.785, 0.5.
  const VoxelSet set =
      voxelize(cloud_of({{3, 4, 1}, {-1.6, -1.5, 0.1}, {-0.16, 5.5, -1}}),
               {.voxel_size = VoxelSize(1, kQuarter, 0.5), .frame = Frame::cylinder});
  EXPECT_EQ(set.origin, (Int3{2, -4, -2}));
  EXPECT_EQ(set.coords, (std::vector<Coord>{{0, 3, 5, 4}, {0, 0, 0, 2}, {0, 3, 6, 0}}));
}

TEST(Cylinder, ClosesTheCircleAtMinusPi) {
  VoxelizeReport report;
  const VoxelSet set =
      voxelize(cloud_of({{-1.5, 0.0, 0}, {-1.5, -0.0, 0}, {-1.5, 1e-9, 0}}),
               {.voxel_size = VoxelSize(1, std::numbers::pi / 8, 1),
                .range = CropRange{{0, -std::numbers::pi, 0}, {2, std::numbers::pi, 1}},
                .frame = Frame::cylinder},
               &report);
  EXPECT_EQ(set.box.shape, (Int3{2, 16, 1}));
  EXPECT_EQ(set.coords, (std::vector<Coord>{{0, 1, 0, 0}, {0, 1, 15, 0}}));
  EXPECT_EQ(report.outside, 0);
}

/// Counts of the networks' grids on the street scan, made by a program that shares no code.
TEST(Detectors, SeeTheCountedVoxelsOfTheStreet) {
  SPB_SCAN_OR_SKIP(path, "ouster_os2-128_street.bin");
  const PointCloud cloud = read_file(path);
  const auto voxels = [&](const VoxelizeOptions& options) {
    return voxelize(cloud, options).size();
  };
  EXPECT_EQ(voxels({.voxel_size = VoxelSize(0.05, 0.05, 0.1),
                    .range = CropRange{{0, -40, -3}, {70.4, 40, 1}}}),
            30475);
  EXPECT_EQ(voxels({.voxel_size = VoxelSize(0.075, 0.075, 0.2),
                    .range = CropRange{{-54, -54, -5}, {54, 54, 3}}}),
            59836);
  EXPECT_EQ(voxels({.voxel_size = VoxelSize(50.0 / 480, 2 * std::numbers::pi / 360, 6.0 / 32),
                    .range = CropRange{{0, -std::numbers::pi, -4}, {50, std::numbers::pi, 2}},
                    .frame = Frame::cylinder}),
            33805);
}

}  // namespace
}  // namespace spb::data
