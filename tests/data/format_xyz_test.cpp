// SPDX-License-Identifier: Apache-2.0
#include "data/temp_file.h"

namespace spb::data {
namespace {

TEST(Xyz, BlankSeparatedTakesTheFirstThreeColumns) {
  const PointCloud cloud = read_bytes(".xyz", "1 2 3 0.5\n\n  +4\t-5e-1  6.25 0.1\r\n");
  ASSERT_EQ(cloud.points.size(), 2u);
  expect_point(cloud.points[0], 1, 2, 3);
  expect_point(cloud.points[1], 4, -0.5, 6.25);
  EXPECT_FALSE(cloud.is_coords);
}

TEST(Xyz, HeaderNamesDecideTheColumns) {
  const PointCloud cloud =
      read_bytes(".csv", "\xEF\xBB\xBFtime, Z ,\"X\",y\n9,3,1,2\n8, 6 , 4 ,5\n");
  ASSERT_EQ(cloud.points.size(), 2u);
  expect_point(cloud.points[0], 1, 2, 3);
  expect_point(cloud.points[1], 4, 5, 6);
}

TEST(Xyz, SemicolonsAndComments) {
  expect_point(read_bytes(".csv", "1;2;3\n").points.at(0), 1, 2, 3);
  const PointCloud cloud = read_bytes(".txt", "// z y x\n# made by hand\n3 2 1\n# end\n");
  ASSERT_EQ(cloud.points.size(), 1u);
  expect_point(cloud.points[0], 1, 2, 3);
}

TEST(Xyz, ReadsNumbersToDouble) {
  expect_point(read_bytes(".txt", "597000.0123456789 0.1 nan\n0 0 0\n").points.at(1), 0, 0, 0);
  EXPECT_EQ(read_bytes(".txt", "597000.0123456789 0.1 2\n").points[0].x, 597000.0123456789);
}

TEST(Xyz, HeaderAloneIsAnEmptySet) { EXPECT_TRUE(read_bytes(".csv", "x,y,z\n").points.empty()); }

TEST(Xyz, BadRowsNameTheirLine) {
  EXPECT_TRUE(contains(read_error(".txt", "1 2 3\n1 2\n"), "line 2: found 2 columns, expected 3"));
  EXPECT_TRUE(contains(read_error(".txt", "1 2 3\n\n1 2 3.1+e2\n"), "line 3: found \"3.1+e2\""));
  EXPECT_TRUE(contains(read_error(".csv", "x,y,z\n1,,3\n"), "line 2: found \"\" in column 2"));
  EXPECT_TRUE(contains(read_error(".csv", "1,5;2,0;3,1\n"), "found \"1,5\""));
  EXPECT_TRUE(contains(read_error(".csv", "1,2,3\n\"4,5,6\n7,8,9\n"), "not CSV"));
  EXPECT_TRUE(contains(read_error(".csv", "a,b,c\n1,2,3\n"), "expected the columns x, y and z"));
  EXPECT_TRUE(contains(read_error(".csv", "x,y,z,x\n1,2,3,4\n"), "once each"));
  EXPECT_TRUE(contains(read_error(".txt", "1 2\n"), "found 2 columns"));
  EXPECT_TRUE(contains(read_error(".txt", "# nothing\n"), "no points"));
  EXPECT_TRUE(contains(read_error(".xyz", std::string("\0\1\2\3", 4)), "expected"));
}

TEST(Xyz, TruncationsAreRefusedOrWholeRows) {
  const std::string text = "x,y,z\n1.5,2.5,3.5\n4.5,5.5,6.5\n";
  const TempFile file(".csv");
  for (size_t length = 0; length <= text.size(); ++length) {
    file.write(text.substr(0, length));
    try {
      const PointCloud cloud = read_file(file.path());
      // Only the last number's end cannot be seen.
      EXPECT_TRUE(cloud.points.size() != 1 || cloud.points[0].y == 2.5) << length;
      EXPECT_GE(length, 5u);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::runtime) << error.what();
    }
  }
}

}  // namespace
}  // namespace spb::data
