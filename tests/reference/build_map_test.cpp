// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

#include "core/error.h"
#include "reference/naive.h"
#include "reference/reference.h"

namespace spb {
namespace {

VoxelSet sphere_shell(int resolution) {
  VoxelSet voxels;
  voxels.box.shape = {resolution, resolution, resolution};
  const double radius = resolution / 2.0;
  for (int x = 0; x < resolution; ++x)
    for (int y = 0; y < resolution; ++y)
      for (int z = 0; z < resolution; ++z) {
        const double d = std::sqrt(std::pow(x - radius + 0.5, 2) + std::pow(y - radius + 0.5, 2) +
                                   std::pow(z - radius + 0.5, 2));
        if (d >= radius - 1.25 && d <= radius) voxels.coords.push_back({0, x, y, z});
      }
  return voxels;
}

TEST(BuildMap, MatchesTheDefinitionOnRandomProblems) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 150; ++round) {
    const VoxelSet voxels = test::random_voxels(random, 6);
    const ConvGeometry geometry = test::random_geometry(random);
    const MapSet expected = test::naive_map(voxels, geometry);
    const MapSet got = reference::build_map(voxels, geometry);
    ASSERT_EQ(got.out_coords, expected.out_coords) << "round " << round;
    ASSERT_EQ(got.triples, expected.triples) << "round " << round;
  }
}

TEST(BuildMap, MatchesTheDefinitionWithPadding) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 60; ++round) {
    VoxelSet voxels = test::random_voxels(random, 3);
    for (int& axis : voxels.box.shape) axis += 7;  // room for a kernel of 4 with dilation 2
    ConvGeometry geometry = test::random_geometry(random);
    geometry.kind = ConvKind::strided;
    geometry.padding = Int3{};
    for (int& axis : *geometry.padding) axis = static_cast<int>(random() % 3);
    const MapSet expected = test::naive_map(voxels, geometry);
    const MapSet got = reference::build_map(voxels, geometry);
    ASSERT_EQ(got.out_coords, expected.out_coords) << to_text(geometry);
    ASSERT_EQ(got.triples, expected.triples) << to_text(geometry);
  }
}

TEST(BuildMap, TransposedKindsMatchTheDefinition) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 80; ++round) {
    VoxelSet voxels = test::random_voxels(random, 4);
    ConvGeometry geometry = test::random_geometry(random);
    if (geometry.kind == ConvKind::subm) continue;
    if (random() % 2) {
      for (int& axis : voxels.box.shape) axis += 7;
      geometry.padding = Int3{};
      for (int& axis : *geometry.padding) axis = static_cast<int>(random() % 3);
    }
    geometry.kind = random() % 2 ? ConvKind::inverse : ConvKind::generative;
    if (geometry.kind == ConvKind::generative) geometry.output_rule = OutputRule::reached;
    if (invalid(geometry)) continue;
    const MapSet expected = geometry.kind == ConvKind::inverse
                                ? test::naive_inverse(voxels, geometry)
                                : test::naive_generative(voxels, geometry);
    const MapSet got = reference::build_map(voxels, geometry);
    ASSERT_EQ(got.out_coords, expected.out_coords) << to_text(geometry);
    ASSERT_EQ(got.in_coords, expected.in_coords) << to_text(geometry);
    ASSERT_EQ(got.triples, expected.triples) << to_text(geometry);
  }
}

TEST(BuildMap, CountsTheSphereShellByEachRule) {
  // Counted independently (docs/strided.md).
  ConvGeometry geometry{ConvKind::strided, {3, 3, 3}, {2, 2, 2}, {1, 1, 1}};
  const MapSet reached = reference::build_map(sphere_shell(64), geometry);
  EXPECT_EQ(reached.out_coords.size(), 6458u);
  EXPECT_EQ(reached.triples.size(), 50625u);
  geometry.output_rule = OutputRule::floor;
  const MapSet floor = reference::build_map(sphere_shell(64), geometry);
  EXPECT_EQ(floor.out_coords.size(), 4224u);
  EXPECT_EQ(floor.triples.size(), 41391u);
}

TEST(BuildMap, RulesThatMeetAreEqual) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 40; ++round) {
    VoxelSet voxels = test::random_voxels(random, 5);
    for (int& axis : voxels.box.shape) axis = (axis + 2) / 2 * 2;
    ConvGeometry cells{ConvKind::strided, {2, 2, 2}, {2, 2, 2}, {1, 1, 1}, Int3{0, 0, 0}};
    const MapSet reached = reference::build_map(voxels, cells);
    cells.output_rule = OutputRule::floor;
    EXPECT_EQ(reference::build_map(voxels, cells).triples, reached.triples);
    ConvGeometry odd{ConvKind::strided, {3, 5, 3}, {2, 2, 2}, {2, 1, 1}};
    const MapSet centered = reference::build_map(voxels, odd);
    odd.padding = Int3{2, 2, 1};
    EXPECT_EQ(reference::build_map(voxels, odd).triples, centered.triples);
  }
}

TEST(BuildMap, CountsTheSphereShell) {
  // Voxels and pairs of a 3x3x3 submanifold convolution, counted independently.
  for (const auto& [resolution, voxels, pairs] :
       {std::array{8, 192, 2544}, {16, 848, 10544}, {32, 3840, 50304}, {64, 15192, 191208}}) {
    const MapSet map = reference::build_map(sphere_shell(resolution), ConvGeometry{});
    EXPECT_EQ(map.out_coords.size(), voxels);
    EXPECT_EQ(map.triples.size(), pairs);
  }
}

TEST(BuildMap, HandlesBoxesBeyond64Bits) {
  constexpr int32_t kHuge = std::numeric_limits<int32_t>::max();
  VoxelSet voxels;
  voxels.box = {kHuge, {kHuge, kHuge, kHuge}};
  const int32_t last = kHuge - 1;
  voxels.coords = {{last, last, last, last},
                   {last, last, last, last - 1},
                   {0, 0, 0, 0},
                   {last, 0, 0, 0},
                   {0, last, last, last}};
  const MapSet subm = reference::build_map(voxels, ConvGeometry{});
  EXPECT_EQ(
      subm.triples,
      (Triples{
          {12, 0, 1}, {13, 0, 0}, {13, 1, 1}, {13, 2, 2}, {13, 3, 3}, {13, 4, 4}, {14, 1, 0}}));
  const ConvGeometry strided{ConvKind::strided, {2, 2, 2}, {2, 2, 2}, {1, 1, 1}};
  const MapSet map = reference::build_map(voxels, strided);
  EXPECT_EQ(map.out_coords.size(), 5u);
  EXPECT_EQ(map.out_coords.back(), (Coord{last, last / 2, last / 2, last / 2}));
}

TEST(BuildMap, EmptySetGivesEmptyMap) {
  for (const ConvKind kind : {ConvKind::subm, ConvKind::strided}) {
    const MapSet map = reference::build_map(VoxelSet{}, ConvGeometry{.kind = kind});
    EXPECT_TRUE(map.out_coords.empty());
    EXPECT_TRUE(map.triples.empty());
  }
}

TEST(BuildMap, RefusesDuplicatesAndRowsOutsideTheBox) {
  VoxelSet voxels;
  voxels.box.shape = {4, 4, 4};
  voxels.coords = {{0, 1, 1, 1}, {0, 2, 2, 2}, {0, 1, 1, 1}};
  EXPECT_THROW(reference::build_map(voxels, ConvGeometry{}), Error);
  for (const Coord outside : {Coord{1, 0, 0, 0}, {-1, 0, 0, 0}, {0, 4, 0, 0}, {0, 0, -1, 0}}) {
    voxels.coords = {outside};
    EXPECT_THROW(reference::build_map(voxels, ConvGeometry{}), Error);
  }
}

}  // namespace
}  // namespace spb
