// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <lzf.h>

#include "data/temp_file.h"

namespace spb::data {
namespace {

struct Header {
  std::string fields = "x y z", size = "4 4 4", type = "F F F", count = "1 1 1";
  std::string width = "3", height = "1", points = "3", data = "ascii", version = "0.7";
};

std::string text(const Header& h) {
  return "# .PCD v.7 - Point Cloud Data file format\nVERSION " + h.version + "\nFIELDS " +
         h.fields + "\nSIZE " + h.size + "\nTYPE " + h.type + "\nCOUNT " + h.count + "\nWIDTH " +
         h.width + "\nHEIGHT " + h.height + "\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS " + h.points +
         "\nDATA " + h.data + "\n";
}

const std::string kRows = [] {
  std::string bytes;
  for (int i = 1; i <= 9; ++i) bytes += raw(static_cast<float>(i));
  return bytes;
}();

/// Field after field, repeated bytes so that LZF can shorten them.
std::string compressed_block(const std::string& plain) {
  std::string block(plain.size() * 2 + 64, '\0');
  const unsigned length = lzf_compress(plain.data(), static_cast<unsigned>(plain.size()),
                                       block.data(), static_cast<unsigned>(block.size()));
  EXPECT_GT(length, 0u);
  block.resize(length);
  return raw(static_cast<uint32_t>(length)) + raw(static_cast<uint32_t>(plain.size())) + block;
}

std::string compressed_file() {
  std::string plain;
  for (const float v : {1.f, 4.f, 7.f, 2.f, 5.f, 8.f, 3.f, 6.f, 9.f}) plain += raw(v);
  return text({.data = "binary_compressed"}) + compressed_block(plain);
}

void expect_three_points(const PointCloud& cloud) {
  EXPECT_EQ(cloud.format, "pcd");
  ASSERT_EQ(cloud.points.size(), 3u);
  expect_point(cloud.points[0], 1, 2, 3);
  expect_point(cloud.points[2], 7, 8, 9);
}

TEST(FormatPcd, EveryDataKind) {
  expect_three_points(read_bytes(".pcd", text({}) + "1 2 3\n4 5 6\n7 8 9\n"));
  expect_three_points(read_bytes(".pcd", text({.data = "binary"}) + kRows));
  expect_three_points(read_bytes(".pcd", compressed_file()));
}

TEST(FormatPcd, EachTruncationIsRefused) {
  const std::string ascii = text({}) + "1 2 3\n4 5 6\n7 8 9\n";
  expect_truncations_refused(".pcd", ascii, ascii.size() - 1);  // the last line end may be missing
  const std::string binary = text({.data = "binary"}) + kRows;
  expect_truncations_refused(".pcd", binary, binary.size());
  expect_truncations_refused(".pcd", compressed_file(), compressed_file().size());
}

TEST(FormatPcd, BytesAfterTheBlockAreFine) {
  expect_three_points(read_bytes(".pcd", compressed_file() + std::string(3911, '\0')));
}

TEST(FormatPcd, CompressedFieldsOfDifferentSizes) {
  // intensity (u8) before z (f64): offsets are per field, not per row.
  std::string plain;
  for (const float v : {1.f, 2.f}) plain += raw(v);
  plain += std::string("\x09\x09", 2);
  for (const double v : {0.1, 0.2}) plain += raw(v);
  for (const int v : {-5, -6}) plain += raw(static_cast<int16_t>(v));
  const PointCloud cloud = read_bytes(".pcd", text({.fields = "x intensity z y",
                                                    .size = "4 1 8 2",
                                                    .type = "F U F I",
                                                    .count = "1 1 1 1",
                                                    .width = "2",
                                                    .points = "2",
                                                    .data = "binary_compressed"}) +
                                                  compressed_block(plain));
  ASSERT_EQ(cloud.points.size(), 2u);
  expect_point(cloud.points[1], 2, -6, 0.2);
}

TEST(FormatPcd, BlockMustMatchItsDeclaredSizes) {
  const std::string header = text({.data = "binary_compressed"});
  const std::string block = compressed_block(std::string(36, 'a'));
  EXPECT_NE(read_bytes(".pcd", header + block).points.size(), 0u);
  const auto with_sizes = [&](uint32_t packed, uint32_t plain) {
    return header + raw(packed) + raw(plain) + block.substr(8);
  };
  const auto packed = static_cast<uint32_t>(block.size() - 8);
  EXPECT_TRUE(contains(read_error(".pcd", with_sizes(packed, 37)), "37 plain bytes"));
  EXPECT_TRUE(contains(read_error(".pcd", with_sizes(packed, 0)), "0 plain bytes"));
  EXPECT_TRUE(contains(read_error(".pcd", with_sizes(0xffffffff, 36)), "file ends inside"));
  EXPECT_TRUE(contains(read_error(".pcd", with_sizes(0, 36)), "cannot hold"));
  // A block that stops early gives fewer bytes, without an error from the library.
  const std::string short_block = compressed_block(std::string(24, 'a')).substr(8);
  EXPECT_TRUE(contains(read_error(".pcd", header + raw(static_cast<uint32_t>(short_block.size())) +
                                              raw(uint32_t{36}) + short_block),
                       "decompresses to 24 bytes, expected 36"));
}

TEST(FormatPcd, RatioBoundsTheClaim) {
  const std::string header =
      text({.width = "200000000", .points = "200000000", .data = "binary_compressed"});
  EXPECT_TRUE(contains(
      read_error(".pcd", header + raw(uint32_t{8}) + raw(uint32_t{2400000000}) + "abcdefgh"),
      "cannot hold"));
}

TEST(FormatPcd, PaddingFieldsAlsoOfCountZero) {
  std::string body;
  for (int i = 1; i <= 3; ++i)
    body += raw(1.0f * static_cast<float>(i)) + "pad" + raw(2.0f) + raw(3.0f) + "pp";
  const PointCloud cloud = read_bytes(".pcd", text({.fields = "x _ y _ z _",
                                                    .size = "4 1 4 4 4 1",
                                                    .type = "F U F F F U",
                                                    .count = "1 3 1 0 1 2",
                                                    .data = "binary"}) +
                                                  body);
  ASSERT_EQ(cloud.points.size(), 3u);
  expect_point(cloud.points[2], 3, 2, 3);
}

TEST(FormatPcd, CountIsOptionalAndListsTakeSeveralWords) {
  std::string header = text({.fields = "n x y z",
                             .size = "4 4 4 4",
                             .type = "F F F F",
                             .count = "2 1 1 1",
                             .width = "1",
                             .points = "1"});
  expect_point(read_bytes(".pcd", header + "8 9 1 2 3\n").points.at(0), 1, 2, 3);
  std::string plain = text({});
  plain.erase(plain.find("COUNT"), 12);
  EXPECT_EQ(read_bytes(".pcd", plain + "1 2 3\n4 5 6\n7 8 9\n").points.size(), 3u);
}

TEST(FormatPcd, NanStaysForTheVoxelizerToCount) {
  const PointCloud cloud = read_bytes(".pcd", text({}) + "nan nan nan\n-nan inf 1\n7 8 9\n");
  ASSERT_EQ(cloud.points.size(), 3u);
  EXPECT_TRUE(std::isnan(cloud.points[0].x));
  EXPECT_TRUE(std::isnan(cloud.points[1].x));
}

TEST(FormatPcd, ZeroPointsAreAnEmptySet) {
  for (const char* data : {"ascii", "binary"})
    EXPECT_TRUE(
        read_bytes(".pcd", text({.width = "0", .points = "0", .data = data})).points.empty());
  EXPECT_TRUE(read_bytes(".pcd", text({.width = "0", .points = "0", .data = "binary_compressed"}) +
                                     std::string(8, '\0'))
                  .points.empty());
}

TEST(FormatPcd, OrganizedCloudsHaveRows) {
  expect_three_points(
      read_bytes(".pcd", text({.width = "1", .height = "3", .data = "binary"}) + kRows));
}

TEST(FormatPcd, AbsurdCountsAreRefusedBeforeAllocating) {
  for (const char* data : {"ascii", "binary", "binary_compressed"}) {
    for (const char* count : {"2147483647", "353535235358", "99999999999999999999", "-1", "x"})
      EXPECT_NE(read_error(".pcd", text({.width = count, .points = count, .data = data}) + kRows),
                "accepted");
    EXPECT_NE(read_error(".pcd", text({.width = "2147483647",
                                       .height = "2147483647",
                                       .points = "2147483647",
                                       .data = data}) +
                                     kRows),
              "accepted");
    EXPECT_NE(read_error(".pcd", text({.count = "2147483648 1 1", .data = data}) + kRows),
              "accepted");
  }
  EXPECT_NE(read_error(".pcd", text({.fields = "x y z _",
                                     .size = "4 4 4 8",
                                     .type = "F F F F",
                                     .count = "1 1 1 2147483647",
                                     .data = "binary"}) +
                                   kRows),
            "accepted");
}

TEST(FormatPcd, WrongHeadersAreRefused) {
  const std::string body = "1 2 3\n4 5 6\n7 8 9\n";
  const auto message = [&](const Header& header) {
    return read_error(".pcd", text(header) + body);
  };
  EXPECT_TRUE(contains(message({.version = "0.6"}), "expected 0.7"));
  EXPECT_TRUE(contains(message({.points = "4"}), "WIDTH x HEIGHT"));
  EXPECT_TRUE(contains(message({.fields = "x y w"}), "field z"));
  EXPECT_TRUE(contains(
      message({.fields = "x y z x", .size = "4 4 4 4", .type = "F F F F", .count = "1 1 1 1"}),
      "field x"));
  EXPECT_TRUE(contains(message({.count = "1 1 2"}), "field z"));
  EXPECT_TRUE(contains(message({.size = "4 4"}), "different lengths"));
  EXPECT_TRUE(contains(message({.size = "4 4 2"}), "unknown type F2"));
  EXPECT_TRUE(contains(message({.data = "zip"}), "line 11"));
  EXPECT_TRUE(contains(read_error(".pcd", "VERSION 0.7\nVERSION 0.7\n"), "line 2: VERSION stands"));
  EXPECT_TRUE(contains(read_error(".pcd", "VERSION 0.7\nDATA ascii\n"), "FIELDS is missing"));
  EXPECT_TRUE(contains(read_error(".pcd", "solid\n"), "line 1: expected a PCD header keyword"));
  EXPECT_TRUE(contains(read_error(".pcd", std::string(100000, 'a')), "65536"));
}

TEST(FormatPcd, TextRowsMustHaveTheirValues) {
  EXPECT_TRUE(contains(read_error(".pcd", text({}) + "1 2 3\n4 5\n7 8 9\n"), "line 13: row has 2"));
  EXPECT_TRUE(contains(read_error(".pcd", text({}) + "1 2 3\n4 5 6 7\n7 8 9\n"), "row has 4"));
  EXPECT_TRUE(contains(read_error(".pcd", text({}) + "1 2 3\n4 5 x\n7 8 9\n"), "found \"x\""));
  EXPECT_TRUE(contains(read_error(".pcd", text({}) + "1 2 3\n4 5 6\n7 8 9\n1 2 3\n"),
                       "file has 4 rows, expected 3"));
}

}  // namespace
}  // namespace spb::data
