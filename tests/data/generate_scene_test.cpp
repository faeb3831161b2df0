// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/error.h"
#include "data/generate.h"
#include "data/pair_counter.h"

namespace spb::data {
namespace {

double pairs_per_voxel(const VoxelSet& set) {
  return static_cast<double>(count_pairs(set)) / static_cast<double>(set.size());
}

// A real OS2-128 frame: 79,038 voxels, 6.18 pairs each. The bands hold the scatter of the seeds.
TEST(GenerateLidar, LooksLikeARealFrame) {
  for (const uint64_t seed : {0, 1, 2}) {
    const VoxelSet set = generate("lidar", seed);
    EXPECT_GT(set.size(), 80000);
    EXPECT_LT(set.size(), 94000);
    EXPECT_GT(pairs_per_voxel(set), 5.8);
    EXPECT_LT(pairs_per_voxel(set), 6.9);
  }
}

TEST(GenerateIndoor, LooksLikeARealRoom) {
  for (const uint64_t seed : {0, 1, 2}) {
    const VoxelSet set = generate("indoor", seed);
    EXPECT_GT(set.size(), 130000);
    EXPECT_LT(set.size(), 180000);
    EXPECT_GT(pairs_per_voxel(set), 12.8);
    EXPECT_LT(pairs_per_voxel(set), 14.4);
  }
}

TEST(GenerateScene, TakesAVoxelSize) {
  EXPECT_LT(generate("lidar:0.4").size(), generate("lidar:0.2").size());
  EXPECT_THROW(generate("lidar:0"), Error);
  EXPECT_THROW(generate("indoor:-1"), Error);
}

}  // namespace
}  // namespace spb::data
