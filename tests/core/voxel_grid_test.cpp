// SPDX-License-Identifier: Apache-2.0
#include "core/voxel_grid.h"

#include "usage_message.h"

namespace spb {
namespace {

TEST(VoxelSizes, AreOneNumberOrThree) {
  EXPECT_EQ(parse_voxel_size("0.05", "s"), VoxelSize(0.05));
  EXPECT_EQ(parse_voxel_size("0.05x0.1x2e-1", "s"), VoxelSize(0.05, 0.1, 0.2));
  EXPECT_EQ(to_text(VoxelSize(0.123456789123)), "0.123456789123");
  EXPECT_EQ(to_text(parse_voxel_size("0.05x0.05x0.05", "s")), "0.05") << "a cube is one number";
  EXPECT_EQ(to_text(VoxelSize(0.05, 0.05, 0.1)), "0.05x0.05x0.1");
}

TEST(VoxelSizes, AreFiniteAndAboveZero) {
  for (const char* text : {"", "0", "-1", "nan", "inf", "0.05x", "0.05x0.05", "0.1x0.1x0",
                           "0.1x0.1x-1", "0.1xnanx0.1", "1x1x1x1", "0.1x0.1x0.1 ", "0.1m"}) {
    const std::string message = usage_message([&] { parse_voxel_size(text, "--voxel-size"); });
    EXPECT_TRUE(message.starts_with("--voxel-size: \"" + std::string(text) + "\" is no size"))
        << message;
  }
}

TEST(CropRanges, AreTheLowestAndTheHighestPoint) {
  const CropRange range = parse_range("0,-40,-3:70.4,40,1", "s");
  EXPECT_EQ(range, (CropRange{{0, -40, -3}, {70.4, 40, 1}}));
  EXPECT_EQ(to_text(range), "0,-40,-3:70.4,40,1");
}

TEST(CropRanges, HaveAWidth) {
  for (const char* text : {"", "1,2,3", "0,0:1,1", "0,0,0:1,1", "0,0,0,0:1,1,1", "0,0,0:1,1,1,1",
                           "0,0,nan:1,1,1", "0,0,0:1,1,inf", "0,0,0:1,1,1:2,2,2", "0,,0:1,1,1"})
    EXPECT_NE(usage_message([&] { parse_range(text, "--range"); }).find("is no range"),
              std::string::npos)
        << text;
  EXPECT_EQ(usage_message([&] { parse_range("0,4,0:1,3,1", "--range"); }),
            "--range: goes from 4 to 3 on the second axis; write the lowest point first, as "
            "0,-40,-3:70.4,40,1");
  EXPECT_NE(usage_message([&] { parse_range("0,0,1:1,1,1", "--range"); }), "accepted");
}

// second.toml, centerpoint.toml and cylinder3d.toml without the cells that their networks add.
TEST(CropRanges, HaveTheCellsOfDetectors) {
  EXPECT_EQ(cells_of({{0, -40, -3}, {70.4, 40, 1}}, {0.05, 0.05, 0.1}), (Int3{1408, 1600, 40}));
  EXPECT_EQ(cells_of({{-54, -54, -5}, {54, 54, 3}}, {0.075, 0.075, 0.2}), (Int3{1440, 1440, 40}));
  EXPECT_EQ(cells_of(parse_range("0,-3.14159265,-4:50,3.14159265,2", ""),
                     parse_voxel_size("0.1041666667x0.0174532925x0.1875", "")),
            (Int3{480, 360, 32}));
}

TEST(CropRanges, RoundToWholeVoxels) {
  EXPECT_EQ(cells_of({{0, 0, 0}, {10.4, 10.6, 4}}, {1, 1, 4}), (Int3{10, 11, 1}));
  EXPECT_EQ(cells_of({{0, 0, -3.1}, {1, 1, 0.9}}, {1, 1, 4}), (Int3{1, 1, 1}));
  EXPECT_EQ(usage_message([] {
              cells_of({{0, 0, 0}, {1, 1, 1}}, {0.5, 0.5, 1.1});
            }),
            "--range: spans 1 on the third axis, less than one voxel of 1.1; use a smaller voxel "
            "size or a wider range");
  EXPECT_NE(usage_message([] {
              cells_of({{0, 0, 0}, {3e9, 1, 1}}, {1, 1, 1});
            }).find("2^31"),
            std::string::npos);
  EXPECT_NE(usage_message([] {
              cells_of({{-1e308, 0, 0}, {1e308, 1, 1}}, {1, 1, 1});
            }),
            "accepted");
}

TEST(Frames, HaveNames) {
  for (const Frame frame : {Frame::cartesian, Frame::cylinder})
    EXPECT_EQ(parse_frame(name(frame), ""), frame);
  const std::string message = usage_message([] { parse_frame("cilinder", "--frame"); });
  EXPECT_NE(message.find("did you mean \"cylinder\""), std::string::npos) << message;
}

}  // namespace
}  // namespace spb
