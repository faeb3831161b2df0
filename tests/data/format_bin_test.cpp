// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "data/temp_file.h"

namespace spb::data {
namespace {

std::string floats(int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += raw(static_cast<float>(i));
  return bytes;
}

TEST(FormatBin, KittiHasFourColumns) {
  const PointCloud cloud = read_bytes(".bin", floats(8));
  EXPECT_EQ(cloud.format, "bin");
  EXPECT_FALSE(cloud.is_coords);
  ASSERT_EQ(cloud.points.size(), 2u);
  expect_point(cloud.points[1], 4, 5, 6);
}

TEST(FormatBin, NuscenesHasFiveAndIsNoPcd) {
  const PointCloud cloud = read_bytes(".pcd.bin", floats(10));
  EXPECT_EQ(cloud.format, "bin");
  ASSERT_EQ(cloud.points.size(), 2u);
  expect_point(cloud.points[1], 5, 6, 7);
  EXPECT_EQ(read_bytes(".PCD.BIN", floats(10)).points.size(), 2u);
}

TEST(FormatBin, SizeDoesNotTellTheColumns) {
  // 24 floats divide by 4, 5 columns not at all, by 6 and by 3.
  EXPECT_EQ(read_bytes(".bin", floats(24)).points.size(), 6u);
  EXPECT_EQ(read_bytes(".bin", floats(24), {.columns = 6}).points.size(), 4u);
  expect_point(read_bytes(".bin", floats(24), {.columns = 6}).points[1], 6, 7, 8);
  EXPECT_EQ(read_bytes(".bin", floats(24), {.columns = 3}).points.size(), 8u);
  EXPECT_TRUE(contains(read_error(".bin", floats(24), {.columns = 5}), "--columns"));
}

TEST(FormatBin, ColumnsMustHoldThreeAxes) {
  for (const int columns : {-1, 0, 2, 1025, std::numeric_limits<int>::max()})
    EXPECT_TRUE(contains(read_error(".bin", floats(24), {.columns = columns}), "--columns: found"));
}

TEST(FormatBin, KeepsNonFinitePoints) {
  const std::string bytes = raw(std::nanf("")) + raw(HUGE_VALF) + raw(1.0f) + raw(0.0f);
  const PointCloud cloud = read_bytes(".bin", bytes);
  ASSERT_EQ(cloud.points.size(), 1u);
  EXPECT_TRUE(std::isnan(cloud.points[0].x));
  EXPECT_TRUE(std::isinf(cloud.points[0].y));
}

TEST(FormatBin, OnlyWholeRowsAreAccepted) {
  const std::string bytes = floats(12);
  const TempFile file(".bin");
  for (size_t length = 0; length <= bytes.size(); ++length) {
    file.write(bytes.substr(0, length));
    if (length > 0 && length % 16 == 0)
      EXPECT_EQ(read_file(file.path()).points.size(), length / 16);
    else
      EXPECT_THROW(read_file(file.path()), Error) << length;
  }
}

TEST(FormatBin, MessageHasOffsetFoundAndExpected) {
  const std::string message = read_error(".bin", floats(5));
  EXPECT_TRUE(contains(message, "byte 16: "));
  EXPECT_TRUE(contains(message, "found 4 bytes, expected 16"));
}

TEST(FormatBin, FilesLongerThanABlockKeepTheirOrder) {
  const int rows = 100000;
  const PointCloud cloud = read_bytes(".bin", floats(rows * 3), {.columns = 3});
  ASSERT_EQ(cloud.points.size(), static_cast<size_t>(rows));
  for (int row = 0; row < rows; ++row)
    ASSERT_EQ(cloud.points[static_cast<size_t>(row)].z, static_cast<float>(3 * row + 2));
}

}  // namespace
}  // namespace spb::data
