// SPDX-License-Identifier: Apache-2.0
// The tables of the test data's index, from file to neighbour pairs.
#include <algorithm>
#include <gtest/gtest.h>

#include "data/pair_counter.h"
#include "data/temp_file.h"
#include "data/voxelize.h"

namespace spb::data {
namespace {

struct ScanRow {
  const char* file_name;
  double size;
  int64_t voxels, n_pairs;
  Int3 extent;
};

class Scans : public ::testing::TestWithParam<ScanRow> {};

TEST_P(Scans, HaveTheCountsOfTheIndex) {
  const ScanRow& expected = GetParam();
  SPB_SCAN_OR_SKIP(path, expected.file_name);
  VoxelizeReport report;
  const VoxelSet set = voxelize(read_file(path), {.voxel_size = expected.size}, &report);
  EXPECT_EQ(set.size(), expected.voxels);
  EXPECT_EQ(set.box.shape, expected.extent);
  EXPECT_EQ(count_pairs(set), expected.n_pairs);
  EXPECT_EQ(report.points - report.dropped - report.merged, expected.voxels);
  EXPECT_FALSE(report.was_coords);
}

constexpr char kOs2[] = "ouster_os2-128_street.bin", kOs1[] = "ouster_os1-128_map_3frames.ply",
               kHdl[] = "velodyne_hdl32_mrpt.bin", kVlp[] = "velodyne_vlp16_mrpt.bin",
               kCar[] = "libpointmatcher_car_cloud400.csv", kRoom1[] = "room_scan1.pcd",
               kRoom2[] = "room_scan2.pcd";

INSTANTIATE_TEST_SUITE_P(Index, Scans,
                         ::testing::Values(ScanRow{kOs2, 0.05, 110424, 390502, {12459, 3128, 462}},
                                           ScanRow{kOs2, 0.1, 79038, 488122, {6230, 1564, 232}},
                                           ScanRow{kOs2, 0.2, 42622, 332808, {3115, 783, 117}},
                                           ScanRow{kOs1, 0.05, 149519, 342421, {9842, 2544, 436}},
                                           ScanRow{kOs1, 0.1, 130889, 808427, {4921, 1273, 219}},
                                           ScanRow{kOs1, 0.2, 68706, 572342, {2461, 637, 110}},
                                           ScanRow{kHdl, 0.05, 29812, 107132, {2319, 2645, 218}},
                                           ScanRow{kHdl, 0.1, 19721, 93087, {1160, 1323, 110}},
                                           ScanRow{kHdl, 0.2, 11354, 70740, {580, 662, 56}},
                                           ScanRow{kVlp, 0.05, 19426, 47684, {4189, 2971, 315}},
                                           ScanRow{kVlp, 0.1, 14659, 49683, {2095, 1486, 158}},
                                           ScanRow{kVlp, 0.2, 9710, 51972, {1048, 743, 80}},
                                           ScanRow{kCar, 0.05, 24496, 48244, {2536, 2614, 801}},
                                           ScanRow{kCar, 0.1, 22121, 87989, {1268, 1307, 401}},
                                           ScanRow{kCar, 0.2, 16122, 96592, {634, 654, 201}},
                                           ScanRow{kRoom1, 0.02, 41484, 116254, {1463, 724, 154}},
                                           ScanRow{kRoom1, 0.05, 27906, 176124, {585, 290, 63}},
                                           ScanRow{kRoom1, 0.1, 13490, 108310, {293, 145, 32}},
                                           ScanRow{kRoom2, 0.02, 41517, 106175, {1243, 1049, 181}},
                                           ScanRow{kRoom2, 0.05, 30565, 165263, {498, 421, 73}},
                                           ScanRow{kRoom2, 0.1, 17640, 136324, {249, 211, 37}}));

struct MeshRow {
  const char* file_name;
  int resolution;
  int64_t voxels, n_pairs;
};

class Meshes : public ::testing::TestWithParam<MeshRow> {};

TEST_P(Meshes, HaveTheShellOfTheIndex) {
  const MeshRow& expected = GetParam();
  SPB_SCAN_OR_SKIP(path, expected.file_name);
  const VoxelSet set = voxelize(read_file(path), {.resolution = expected.resolution});
  const auto near = [](int64_t value) { return 0.001 * static_cast<double>(value); };
  EXPECT_NEAR(static_cast<double>(set.size()), static_cast<double>(expected.voxels),
              near(expected.voxels));
  EXPECT_NEAR(static_cast<double>(count_pairs(set)), static_cast<double>(expected.n_pairs),
              near(expected.n_pairs));
  EXPECT_EQ(*std::ranges::max_element(set.box.shape), expected.resolution);
}

INSTANTIATE_TEST_SUITE_P(Index, Meshes,
                         ::testing::Values(MeshRow{"snowden.ply", 64, 9803, 171239},
                                           MeshRow{"snowden.ply", 128, 47293, 899569},
                                           MeshRow{"snowden.ply", 256, 244480, 4790224},
                                           MeshRow{"trellis_T.ply", 64, 14618, 245804},
                                           MeshRow{"trellis_T.ply", 128, 62981, 946783},
                                           MeshRow{"trellis_T.ply", 256, 267929, 3795485}));

struct VxzRow {
  const char* file_name;
  int64_t voxels;
  Int3 origin, extent;
};

class Shells : public ::testing::TestWithParam<VxzRow> {};

TEST_P(Shells, AreReadWhole) {
  const VxzRow& expected = GetParam();
  SPB_SCAN_OR_SKIP(path, expected.file_name);
  VoxelizeReport report;
  const VoxelSet set = voxelize(read_file(path), {}, &report);
  EXPECT_EQ(set.size(), expected.voxels);
  EXPECT_EQ(set.origin, expected.origin);
  EXPECT_EQ(set.box.shape, expected.extent);
  EXPECT_TRUE(report.was_coords);
}

INSTANTIATE_TEST_SUITE_P(
    Index, Shells,
    ::testing::Values(VxzRow{"snowden_shell_1024.vxz", 3995972, {157, 0, 224}, {710, 1024, 576}},
                      VxzRow{"trellis_T_shell_1024.vxz", 4490011, {52, 287, 0}, {920, 450, 1024}}));

}  // namespace
}  // namespace spb::data
