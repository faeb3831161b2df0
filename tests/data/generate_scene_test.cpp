#include <gtest/gtest.h>

#include "core/error.h"
#include "data/generate.h"
#include "data/pair_counter.h"

namespace spb::data {
namespace {

double pairs_per_voxel(const VoxelSet& set) {
  return static_cast<double>(count_pairs(set)) / static_cast<double>(set.size());
}

TEST(GenerateLidar, LooksLikeARealFrame) {
  for (const uint64_t seed : {0, 1, 2}) {
    const VoxelSet set = generate("lidar", seed);
    EXPECT_GT(set.size(), 80000);
    EXPECT_LT(set.size(), 90000);
    EXPECT_GT(pairs_per_voxel(set), 6.0);
    EXPECT_LT(pairs_per_voxel(set), 6.8);
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
