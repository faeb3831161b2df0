// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "core/dtype.h"
#include "data/npy_bytes.h"

namespace spb::data {
namespace {

template <typename T>
std::vector<Coord> read_coords(const std::string& descr, bool big_endian = false) {
  const PointCloud cloud =
      read_bytes(".npy", npy_bytes(descr, "2, 3", raw_all<T>({1, 2, 3, 4, 5, 6}, big_endian)));
  EXPECT_TRUE(cloud.is_coords);
  EXPECT_TRUE(cloud.points.empty());
  return cloud.coords;
}

const std::vector<Coord> kTwoRows{{0, 1, 2, 3}, {0, 4, 5, 6}};

TEST(FormatNpy, EveryIntegerTypeIsCoords) {
  EXPECT_EQ(read_coords<int8_t>("|i1"), kTwoRows);
  EXPECT_EQ(read_coords<uint8_t>("|u1"), kTwoRows);
  EXPECT_EQ(read_coords<int16_t>("<i2"), kTwoRows);
  EXPECT_EQ(read_coords<uint16_t>("<u2"), kTwoRows);
  EXPECT_EQ(read_coords<int32_t>("<i4"), kTwoRows);
  EXPECT_EQ(read_coords<uint32_t>("<u4"), kTwoRows);
  EXPECT_EQ(read_coords<int64_t>("<i8"), kTwoRows);
  EXPECT_EQ(read_coords<uint64_t>("<u8"), kTwoRows);
}

TEST(FormatNpy, BigEndian) {
  EXPECT_EQ(read_coords<int16_t>(">i2", true), kTwoRows);
  EXPECT_EQ(read_coords<int64_t>(">i8", true), kTwoRows);
  const PointCloud cloud =
      read_bytes(".npy", npy_bytes(">f8", "1, 3", raw_all<double>({0.1, -2.0, 1e300}, true)));
  ASSERT_EQ(cloud.points.size(), 1u);
  expect_point(cloud.points[0], 0.1, -2.0, 1e300);
}

TEST(FormatNpy, FortranOrder) {
  const std::string columns = raw_all<int32_t>({1, 4, 2, 5, 3, 6});
  EXPECT_EQ(read_bytes(".npy", npy_bytes("<i4", "2, 3", columns, true)).coords, kTwoRows);
  // Four columns of points, the last one ignored.
  const std::string floats = raw_all<float>({1, 4, 2, 5, 3, 6, 9, 9});
  const PointCloud cloud = read_bytes(".npy", npy_bytes("<f4", "2, 4", floats, true));
  ASSERT_EQ(cloud.points.size(), 2u);
  expect_point(cloud.points[1], 4, 5, 6);
}

TEST(FormatNpy, FourColumnsStartWithTheBatchInTheOrderOfAxes) {
  const std::string bytes = npy_bytes("<i4", "1, 4", raw_all<int32_t>({7, -1, 2, 3}));
  EXPECT_EQ(read_bytes(".npy", bytes).coords, (std::vector<Coord>{{7, -1, 2, 3}}));
  EXPECT_EQ(read_bytes(".npy", bytes, {.columns = {}, .axes = "bzyx"}).coords,
            (std::vector<Coord>{{7, 3, 2, -1}}));
  const std::string three = npy_bytes("<i4", "1, 3", raw_all<int32_t>({1, 2, 3}));
  EXPECT_EQ(read_bytes(".npy", three, {.columns = {}, .axes = "bzyx"}).coords,
            (std::vector<Coord>{{0, 3, 2, 1}}));
  EXPECT_TRUE(
      contains(read_error(".npy", bytes, {.columns = {}, .axes = "xyzb"}), "--axes: \"xyzb\""));
}

TEST(FormatNpy, FloatsArePoints) {
  const std::string f4 = npy_bytes("<f4", "2, 5", raw_all<float>({1, 2, 3, 0, 0, 4, 5, 6, 0, 0}));
  const PointCloud cloud = read_bytes(".npy", f4);
  EXPECT_FALSE(cloud.is_coords);
  ASSERT_EQ(cloud.points.size(), 2u);
  expect_point(cloud.points[1], 4, 5, 6);
  const std::string f2 = raw_all<uint16_t>({encode_f16(0.5f), encode_f16(-2.0f), encode_f16(8.0f)});
  expect_point(read_bytes(".npy", npy_bytes("<f2", "1, 3", f2)).points.at(0), 0.5, -2, 8);
}

TEST(FormatNpy, ValuesOutsideInt32AreRefused) {
  const auto row = [](int64_t value) {
    return npy_bytes("<i8", "1, 3", raw_all<int64_t>({0, value, 0}));
  };
  EXPECT_EQ(read_bytes(".npy", row(std::numeric_limits<int32_t>::min())).coords.at(0).y,
            std::numeric_limits<int32_t>::min());
  EXPECT_TRUE(contains(read_error(".npy", row(int64_t{1} << 31)), "row 0: coordinate 2147483648"));
  EXPECT_NE(read_error(".npy", row(-(int64_t{1} << 31) - 1)), "accepted");
  // 2^64 - 1 must not become -1.
  const std::string u8 = npy_bytes("<u8", "1, 3", raw_all<uint64_t>({0, UINT64_MAX, 0}));
  EXPECT_NE(read_error(".npy", u8), "accepted");
  const std::string batch = npy_bytes("<i4", "1, 4", raw_all<int32_t>({-1, 0, 0, 0}));
  EXPECT_TRUE(contains(read_error(".npy", batch), "batch index -1"));
}

TEST(FormatNpy, ObjectAndOtherArraysAreRefused) {
  EXPECT_TRUE(contains(read_error(".npy", npy_bytes("|O", "1, 3", "abc")), "object arrays"));
  const std::string structured =
      "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }\n";
  EXPECT_TRUE(contains(read_error(".npy", npy_bytes(structured, "abcd")), "structured arrays"));
  for (const char* descr : {"<c8", "|b1", "|S4", "<U1", "<M8", "f4", "", "<f16"})
    EXPECT_TRUE(
        contains(read_error(".npy", npy_bytes(descr, "1, 3", std::string(12, 'a'))), "type"))
        << descr;
}

TEST(FormatNpy, WrongShapesAreRefused) {
  const std::string body(48, '\0');
  for (const char* shape : {"", "12,", "6, 2", "2, 2, 3", "1, 12"})
    EXPECT_TRUE(contains(read_error(".npy", npy_bytes("<i4", shape, body)), "shape")) << shape;
  EXPECT_TRUE(contains(read_error(".npy", npy_bytes("<i4", "-4, 3", body)), "shape"));
}

TEST(FormatNpy, AbsurdCountsAreRefusedBeforeAllocating) {
  for (const char* shape : {"2147483647, 3", "2147483648, 3", "353535235358, 3",
                            "99999999999999999999999, 3", "3, 9223372036854775807"})
    EXPECT_NE(read_error(".npy", npy_bytes("<f4", shape, std::string(36, '\0'))), "accepted")
        << shape;
}

TEST(FormatNpy, ZeroRowsAreAnEmptySet) {
  EXPECT_TRUE(read_bytes(".npy", npy_bytes("<f4", "0, 3", "")).points.empty());
  EXPECT_TRUE(read_bytes(".npy", npy_bytes("<i4", "0, 4", "")).is_coords);
}

TEST(FormatNpy, TruncationAndExtraBytesAreRefused) {
  const std::string bytes = npy_bytes("<i4", "2, 3", raw_all<int32_t>({1, 2, 3, 4, 5, 6}));
  expect_truncations_refused(".npy", bytes, bytes.size());
  const std::string fortran = npy_bytes("<f4", "2, 3", raw_all<float>({1, 2, 3, 4, 5, 6}), true);
  expect_truncations_refused(".npy", fortran, fortran.size());
  EXPECT_TRUE(contains(read_error(".npy", bytes + "x"), "1 bytes follow the array"));
}

TEST(FormatNpy, DamagedHeadersAreRefused) {
  const std::string body = raw_all<float>({1, 2, 3});
  EXPECT_TRUE(contains(read_error(".npy", "\x93NUMPX" + std::string(80, '\1')), "magic"));
  std::string version = npy_bytes("<f4", "1, 3", body);
  version[6] = 9;
  EXPECT_TRUE(contains(read_error(".npy", version), "version 9"));
  for (const char* header : {
           "",
           "{",
           "{}",
           "{'descr': '<f4', 'fortran_order': False}",
           "{'descr': '<f4', 'fortran_order': 0, 'shape': (1, 3)}",
           "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1, 3)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), 'x': 1}",
           "{'descr': '<f4, 'fortran_order': False, 'shape': (1, 3)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3)} x",
           "{'descr': '<f4' 'fortran_order': False, 'shape': (1, 3)}",
       })
    EXPECT_TRUE(contains(read_error(".npy", npy_bytes(header, body)), "array header")) << header;
}

TEST(FormatNpy, VersionTwoHasALongLengthOfAtMost64KiB) {
  const std::string header = "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (1, 3)}";
  const auto with_length = [&](uint32_t length) {
    return "\x93NUMPY" + std::string("\x02\x00", 2) + raw(length) + header +
           raw_all<float>({1, 2, 3});
  };
  EXPECT_EQ(read_bytes(".npy", with_length(static_cast<uint32_t>(header.size()))).points.size(),
            1u);
  EXPECT_TRUE(contains(read_error(".npy", with_length(0xffffffff)), "at most 65536"));
}

}  // namespace
}  // namespace spb::data
