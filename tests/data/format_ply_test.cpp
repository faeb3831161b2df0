// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "data/temp_file.h"

namespace spb::data {
namespace {

const std::string kXyz = "property float x\nproperty float y\nproperty float z\n";

std::string header(const std::string& encoding, const std::string& elements) {
  return "ply\nformat " + encoding + " 1.0\ncomment made by a test\n" + elements + "end_header\n";
}
std::string ascii(const std::string& elements, const std::string& body) {
  return header("ascii", elements) + body;
}

const std::string kMeshElements =
    "element vertex 4\n" + kXyz + "element face 2\nproperty list uchar int vertex_indices\n";
const std::string kMesh =
    ascii(kMeshElements, "0 0 0\n1 0 0\n1 1 0\n0 1 0.5\n4 0 1 2 3\n3 0 1 2\n");

std::string binary_mesh(bool big) {
  std::string bytes = header(big ? "binary_big_endian" : "binary_little_endian", kMeshElements);
  for (const float v : {0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 1.f, 1.f, 0.f, 0.f, 1.f, 0.5f})
    bytes += raw(v, big);
  bytes += "\x04";
  for (const int32_t v : {0, 1, 2, 3}) bytes += raw(v, big);
  bytes += "\x03";
  for (const int32_t v : {0, 1, 2}) bytes += raw(v, big);
  return bytes;
}

void expect_mesh(const PointCloud& cloud) {
  EXPECT_EQ(cloud.format, "ply");
  ASSERT_EQ(cloud.points.size(), 4u);
  expect_point(cloud.points[3], 0, 1, 0.5);
  ASSERT_EQ(cloud.triangles.size(), 3u);  // a quad is a fan of two
  const Triangle second = cloud.triangles[1];
  EXPECT_EQ(second.a, 0);
  EXPECT_EQ(second.b, 2);
  EXPECT_EQ(second.c, 3);
}

TEST(FormatPly, MeshInEveryEncoding) {
  expect_mesh(read_bytes(".ply", kMesh));
  expect_mesh(read_bytes(".ply", binary_mesh(false)));
  expect_mesh(read_bytes(".ply", binary_mesh(true)));
}

TEST(FormatPly, EachTruncationIsRefused) {
  // Text without its last line end is whole.
  expect_truncations_refused(".ply", kMesh, kMesh.size() - 2);
  for (const bool big : {false, true})
    expect_truncations_refused(".ply", binary_mesh(big), binary_mesh(big).size());
}

TEST(FormatPly, AnyPropertyOrderAndType) {
  const std::string bytes = header("binary_little_endian",
                                   "element vertex 2\nproperty uint8 red\nproperty double z\n"
                                   "property int16 y\nproperty float32 nx\nproperty float64 x\n");
  std::string body;
  for (const int i : {0, 1})
    body += raw(uint8_t{255}) + raw(0.1 + i) + raw(static_cast<int16_t>(-300 - i)) + raw(9.0f) +
            raw(597000.0625 + i);
  const PointCloud cloud = read_bytes(".ply", bytes + body);
  ASSERT_EQ(cloud.points.size(), 2u);
  // Float32 would lose both the 0.1 and the sixteenth at map coordinates.
  expect_point(cloud.points[1], 597001.0625, -301, 1.1);
  EXPECT_TRUE(cloud.triangles.empty());
}

TEST(FormatPly, EveryTypeNameIsKnown) {
  for (const char* type :
       {"char", "uchar", "short", "ushort", "int", "uint", "float", "double", "int8", "uint8",
        "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"}) {
    const std::string elements =
        "element vertex 1\n" + kXyz + "property " + std::string(type) + " extra\n";
    EXPECT_EQ(read_bytes(".ply", ascii(elements, "1 2 3 4\n")).points.size(), 1u) << type;
  }
  EXPECT_TRUE(contains(read_error(".ply", ascii("element vertex 1\nproperty half x\n", "1\n")),
                       "line 5: "));
}

TEST(FormatPly, ListsInsideVertexAndOtherElements) {
  const std::string elements =
      "element camera 1\nproperty list uchar double view\nproperty int id\n"
      "element vertex 2\nproperty float x\nproperty list uchar short ids\nproperty float y\n"
      "property float z\nelement edge 1\nproperty int a\nproperty int b\n";
  const PointCloud text =
      read_bytes(".ply", ascii(elements, "2 1.5 2.5 7\n1 2 8 9 2 3\n4 0 5 6\n0 1\n"));
  std::string body = "\x02" + raw(1.5) + raw(2.5) + raw(7);
  body += raw(1.0f) + "\x02" + raw(int16_t{8}) + raw(int16_t{9}) + raw(2.0f) + raw(3.0f);
  body += raw(4.0f) + std::string(1, '\0') + raw(5.0f) + raw(6.0f) + raw(0) + raw(1);
  const std::string bytes = header("binary_little_endian", elements) + body;
  const PointCloud binary = read_bytes(".ply", bytes);
  for (const PointCloud* cloud : {&text, &binary}) {
    ASSERT_EQ(cloud->points.size(), 2u);
    expect_point(cloud->points[0], 1, 2, 3);
    expect_point(cloud->points[1], 4, 5, 6);
  }
  expect_truncations_refused(".ply", bytes, bytes.size());
}

TEST(FormatPly, WholeNumberFloatsStayPoints) {
  const PointCloud cloud = read_bytes(".ply", ascii("element vertex 1\n" + kXyz, "5 6 7\n"));
  EXPECT_FALSE(cloud.is_coords);
  expect_point(cloud.points.at(0), 5, 6, 7);
}

TEST(FormatPly, NonFiniteAndSignedNumbersInText) {
  const PointCloud cloud =
      read_bytes(".ply", ascii("element vertex 2\n" + kXyz, "nan -inf +1.5\r\n 1e-999\t2 3 \n"));
  ASSERT_EQ(cloud.points.size(), 2u);
  EXPECT_TRUE(std::isnan(cloud.points[0].x));
  EXPECT_EQ(cloud.points[0].z, 1.5);
  expect_point(cloud.points[1], 0, 2, 3);
}

TEST(FormatPly, LineEndsOfWindows) {
  std::string bytes;
  for (const char c : kMesh) bytes.append(c == '\n' ? "\r" : "").push_back(c);
  expect_mesh(read_bytes(".ply", bytes));
}

TEST(FormatPly, LineEndConversionOfBinaryIsRefused) {
  // One byte too few, as when CR LF became LF, or one too many.
  const std::string bytes = binary_mesh(false);
  EXPECT_TRUE(contains(read_error(".ply", bytes.substr(0, bytes.size() - 1)), "but only 11 bytes"));
  EXPECT_TRUE(contains(read_error(".ply", bytes + "\n"), "1 bytes follow the last element"));
}

TEST(FormatPly, ZeroVerticesAreAnEmptySet) {
  EXPECT_TRUE(read_bytes(".ply", ascii("element vertex 0\n" + kXyz, "")).points.empty());
  EXPECT_TRUE(
      read_bytes(".ply", header("binary_big_endian", "element vertex 0\n" + kXyz)).points.empty());
}

TEST(FormatPly, AbsurdCountsAreRefusedBeforeAllocating) {
  for (const char* encoding : {"ascii", "binary_little_endian", "binary_big_endian"})
    for (const char* count : {"2147483647", "353535235358", "99999999999999999999", "-1", "1.5"})
      for (const char* element : {"vertex", "other"}) {
        std::string elements = "element " + std::string(element) + " " + count + "\n" + kXyz;
        if (element == std::string("other")) elements += "element vertex 0\n" + kXyz;
        EXPECT_NE(read_error(".ply", header(encoding, elements) + "1 2 3\n"), "accepted");
      }
}

TEST(FormatPly, AbsurdListCountIsRefused) {
  const std::string elements =
      "element vertex 0\n" + kXyz + "element face 1\nproperty list uint int vertex_indices\n";
  EXPECT_TRUE(contains(
      read_error(".ply", header("binary_little_endian", elements) + raw(0xffffffffu) + "abcd"),
      "list elements"));
  EXPECT_NE(read_error(".ply", ascii(elements, "4294967295 0\n")), "accepted");
  EXPECT_NE(read_error(".ply", ascii(elements, "-1\n")), "accepted");
}

TEST(FormatPly, FaceIndicesMustExist) {
  const std::string elements =
      "element vertex 1\n" + kXyz + "element face 1\nproperty list uchar int vertex_index\n";
  EXPECT_TRUE(contains(read_error(".ply", ascii(elements, "0 0 0\n3 0 0 1\n")),
                       "line 12: face 0 names vertex 1 of 1"));
  EXPECT_NE(read_error(".ply", ascii(elements, "0 0 0\n3 0 0 -1\n")), "accepted");
}

TEST(FormatPly, AxesMustStandOnce) {
  const auto message = [](const std::string& properties) {
    return read_error(".ply", ascii("element vertex 1\n" + properties, "1 2 3\n"));
  };
  EXPECT_TRUE(contains(message("property float x\nproperty float y\n"), "property z stands 0"));
  EXPECT_TRUE(contains(message(kXyz + "property float x\n"), "property x stands 2"));
  EXPECT_TRUE(contains(message("property list uchar float x\nproperty float y\nproperty float z\n"),
                       "property x stands 0"));
}

TEST(FormatPly, WrongHeadersAreRefused) {
  const std::string vertex = "element vertex 1\n" + kXyz;
  EXPECT_TRUE(contains(read_error(".ply", "obj\n"), "not a PLY"));
  EXPECT_TRUE(contains(read_error(".ply", "plyx\n"), "line 1"));
  EXPECT_TRUE(contains(read_error(".ply", "ply\n" + vertex + "end_header\n1 2 3\n"), "no format"));
  EXPECT_TRUE(contains(read_error(".ply", ascii("element face 0\nproperty list uchar int "
                                                "vertex_indices\n",
                                                "")),
                       "no element vertex"));
  EXPECT_TRUE(contains(read_error(".ply", ascii(vertex + vertex, "1 2 3\n1 2 3\n")), "twice"));
  EXPECT_TRUE(contains(read_error(".ply", ascii("property int a\n" + vertex, "")), "line 4"));
  EXPECT_TRUE(contains(read_error(".ply", ascii("what is this\n", "")), "line 4"));
  EXPECT_TRUE(contains(read_error(".ply", header("binary", vertex)), "line 2"));
  EXPECT_TRUE(contains(read_error(".ply", "ply\nformat ascii 2.0\n"), "version 1.0"));
  EXPECT_TRUE(
      contains(read_error(".ply", ascii(vertex + "element tristrips 1\nproperty list int int "
                                                 "vertex_indices\n",
                                        "1 2 3\n3 0 0 0\n")),
               "triangle strips"));
  EXPECT_TRUE(contains(read_error(".ply", "ply\n" + std::string(100000, 'a')), "65536"));
}

TEST(FormatPly, TextRowsMustHaveTheirValues) {
  const std::string vertex = "element vertex 2\n" + kXyz;
  EXPECT_TRUE(
      contains(read_error(".ply", ascii(vertex, "1 2 3\n1 2\n")), "line 10: expected a num"));
  EXPECT_TRUE(contains(read_error(".ply", ascii(vertex, "1 2 3 4\n1 2 3\n")), "more values"));
  EXPECT_TRUE(contains(read_error(".ply", ascii(vertex, "1 2 3\n1 2 3.1+e2\n")), "3.1+e2"));
  EXPECT_TRUE(contains(read_error(".ply", ascii(vertex, "1 2 3\n1 2 3\n4 5 6\n")), "text follows"));
  EXPECT_EQ(read_bytes(".ply", ascii(vertex, "1 2 3\n\n1 2 3\n\n")).points.size(), 2u);
}

}  // namespace
}  // namespace spb::data
