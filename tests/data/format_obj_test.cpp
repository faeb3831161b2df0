// SPDX-License-Identifier: Apache-2.0
#include "data/temp_file.h"

namespace spb::data {
namespace {

void expect_triangle(const Triangle& t, int a, int b, int c) {
  EXPECT_EQ(t.a, a);
  EXPECT_EQ(t.b, b);
  EXPECT_EQ(t.c, c);
}

TEST(Obj, FacesOfEverySpelling) {
  const PointCloud cloud = read_bytes(".obj",
                                      "# cube side\nmtllib a.mtl\nv 0 0 0\nv 1 0 0 1.0\nv 1 1 0\n"
                                      "v 0 1 0\nvt 0 0\nvn 0 0 1\nf 1 2/1 3/1/1 4//1\n"
                                      "f -4 -3 -2\r\n");
  ASSERT_EQ(cloud.points.size(), 4u);
  ASSERT_EQ(cloud.triangles.size(), 3u);
  expect_triangle(cloud.triangles[0], 0, 1, 2);
  expect_triangle(cloud.triangles[1], 0, 2, 3);
  expect_triangle(cloud.triangles[2], 0, 1, 2);
}

TEST(Obj, FacesMayStandBeforeVertices) {
  const PointCloud cloud = read_bytes(".obj", "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n");
  expect_triangle(cloud.triangles.at(0), 0, 1, 2);
}

TEST(Obj, BadLinesAreNamed) {
  const std::string vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  EXPECT_TRUE(contains(read_error(".obj", vertices + "f 1 2 4\n"), "line 4: face uses vertex 4"));
  EXPECT_TRUE(contains(read_error(".obj", vertices + "f 1 2 0\n"), "line 4: found \"0\""));
  EXPECT_TRUE(contains(read_error(".obj", vertices + "f 1 2 -4\n"), "line 4: found \"-4\""));
  EXPECT_TRUE(contains(read_error(".obj", vertices + "f 1 2\n"), "found 2 corners"));
  EXPECT_TRUE(contains(read_error(".obj", vertices + "f 1 2 99999999999999999999\n"), "line 4"));
  EXPECT_TRUE(contains(read_error(".obj", "v 1 2\n"), "line 1"));
  EXPECT_TRUE(contains(read_error(".obj", "v 1 2 3.1+e2\n"), "found \"3.1+e2\""));
  EXPECT_TRUE(contains(read_error(".obj", "f 1 2 3\n"), "no vertex"));
}

TEST(Obj, TruncationsNeverYieldABadFace) {
  const std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  const TempFile file(".obj");
  for (size_t length = 0; length <= text.size(); ++length) {
    file.write(text.substr(0, length));
    try {
      for (const PointCloud cloud = read_file(file.path()); const Triangle& t : cloud.triangles)
        EXPECT_TRUE(t.a < 3 && t.b < 3 && t.c < 3);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::runtime) << error.what();
    }
  }
}

}  // namespace
}  // namespace spb::data
