// SPDX-License-Identifier: Apache-2.0
// Real files, when the test data folder is there: counts and bounds from its index.
#include <algorithm>
#include <set>
#include <tuple>

#include "data/temp_file.h"

namespace spb::data {
namespace {

struct ScanFile {
  const char* file_name;
  size_t points, triangles, distinct;  ///< distinct = 0: not counted
  double low_x, high_z;
};

class ScanFiles : public ::testing::TestWithParam<ScanFile> {};

TEST_P(ScanFiles, HasTheCountsOfTheIndex) {
  const ScanFile& expected = GetParam();
  SPB_SCAN_OR_SKIP(path, expected.file_name);
  const PointCloud cloud = read_file(path);
  EXPECT_FALSE(cloud.is_coords);
  ASSERT_EQ(cloud.points.size(), expected.points);
  EXPECT_EQ(cloud.triangles.size(), expected.triangles);
  EXPECT_NEAR(std::ranges::min(cloud.points, {}, &Point::x).x, expected.low_x, 0.006);
  EXPECT_NEAR(std::ranges::max(cloud.points, {}, &Point::z).z, expected.high_z, 0.006);
  if (expected.distinct == 0) return;
  std::set<std::tuple<double, double, double>> distinct;
  for (const Point& p : cloud.points) distinct.emplace(p.x, p.y, p.z);
  EXPECT_EQ(distinct.size(), expected.distinct);
}

INSTANTIATE_TEST_SUITE_P(
    Index, ScanFiles,
    ::testing::Values(ScanFile{"ouster_os2-128_street.bin", 119682, 0, 0, -291.78, 16.62},
                      ScanFile{"ouster_os1-128_map_3frames.ply", 155000, 0, 0, -246.49, 17.42},
                      ScanFile{"velodyne_hdl32_mrpt.bin", 57297, 0, 0, -56.75, 7.63},
                      ScanFile{"velodyne_vlp16_mrpt.bin", 22509, 0, 0, -102.15, 12.05},
                      ScanFile{"room_scan1.pcd", 112586, 0, 56159, -13.80, 1.71},
                      ScanFile{"room_scan2.pcd", 112624, 0, 56191, -12.55, 1.88},
                      ScanFile{"snowden.ply", 54559, 109259, 0, -2.56, 2.16},
                      ScanFile{"trellis_T.ply", 53789, 61402, 30382, -0.456, 0.501}),
    [](const auto& test) {
      std::string name = test.param.file_name;
      std::ranges::replace_if(
          name, [](char c) { return !std::isalnum(c); }, '_');
      return name;
    });

TEST(ScanFile, OusterSizeDividesBySixColumnsToo) {
  SPB_SCAN_OR_SKIP(path, "ouster_os2-128_street.bin");
  EXPECT_EQ(read_file(path, {.columns = 6}).points.size(), 79788u);
}

}  // namespace
}  // namespace spb::data
