// SPDX-License-Identifier: Apache-2.0
#include "data/generate.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include "core/error.h"
#include "data/pair_counter.h"

namespace spb::data {
namespace {

/// FNV-1a over x, y, z of each row as int32, little endian.
uint64_t row_hash(const VoxelSet& set) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const Coord& row : set.coords)
    for (const int32_t value : {row.x, row.y, row.z})
      for (int shift = 0; shift < 32; shift += 8)
        hash = (hash ^ (static_cast<uint32_t>(value) >> shift & 255)) * 0x100000001b3u;
  return hash;
}

struct SphereRow {
  int resolution;
  int64_t voxels, n_pairs;
  uint64_t hash;
};

class Sphere : public ::testing::TestWithParam<SphereRow> {};

TEST_P(Sphere, HasThePublishedCountsAndRowOrder) {
  const SphereRow& expected = GetParam();
  const int r = expected.resolution;
  const VoxelSet set = generate("sphere:" + std::to_string(r));
  EXPECT_EQ(set.size(), expected.voxels);
  EXPECT_EQ(row_hash(set), expected.hash);
  EXPECT_EQ(set.box, (Box{1, {r, r, r}}));
  EXPECT_EQ(set.origin, (Int3{0, 0, 0}));
  EXPECT_EQ(count_pairs(set), expected.n_pairs);
}

INSTANTIATE_TEST_SUITE_P(Resolutions, Sphere,
                         ::testing::Values(SphereRow{8, 192, 2544, 0x6489809e9100eae5},
                                           SphereRow{16, 848, 10544, 0x20b736d4844df525},
                                           SphereRow{32, 3840, 50304, 0xc13f542774750e25},
                                           SphereRow{64, 15192, 191208, 0x7837e1a207662045},
                                           SphereRow{128, 64160, 831680, 0x23e1afbe70ced465},
                                           SphereRow{256, 252392, 3203048, 0xe0e51826da60a705},
                                           SphereRow{512, 1026536, 13155032, 0xe9a2043a1f3268a5},
                                           SphereRow{1024, 4113056, 52663424, 0x454ec657c3053d85}));

struct Counted {
  const char* spec;
  int64_t voxels, n_pairs;
};

class Adversarial : public ::testing::TestWithParam<Counted> {};

TEST_P(Adversarial, HasItsCounts) {
  const VoxelSet set = generate(GetParam().spec);
  EXPECT_EQ(set.size(), GetParam().voxels);
  EXPECT_EQ(count_pairs(set), GetParam().n_pairs);
  EXPECT_EQ(std::set<Coord>(set.coords.begin(), set.coords.end()).size(), set.coords.size());
  for (const Coord& row : set.coords) {
    EXPECT_TRUE(row.batch >= 0 && row.batch < set.box.batch_size);
    EXPECT_TRUE(row.x >= 0 && row.x < set.box.shape[0]);
    EXPECT_TRUE(row.y >= 0 && row.y < set.box.shape[1]);
    EXPECT_TRUE(row.z >= 0 && row.z < set.box.shape[2]);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sets, Adversarial,
    ::testing::Values(Counted{"empty", 0, 0}, Counted{"voxel:", 1, 1},
                      Counted{"isolated:5", 125, 125}, Counted{"isolated:4,7", 64, 64},
                      Counted{"line:10", 10, 28}, Counted{"line:10,1", 10, 28},
                      Counted{"line:10,2", 10, 28}, Counted{"plane:9", 81, 25 * 25},
                      Counted{"plane:9,0", 81, 25 * 25}, Counted{"plane:9,1", 81, 25 * 25},
                      Counted{"centered_cube:8", 512, 10648}, Counted{"cube:6", 216, 16 * 16 * 16},
                      Counted{"cube:6,5", 1080, 5 * 16 * 16 * 16}, Counted{"far_keys", 2, 2},
                      Counted{"box:6,6,6", 216, 16 * 16 * 16}, Counted{"box:5,3,1", 15, 13 * 7 * 1},
                      Counted{"box:2,3,4,5", 120, 5 * 4 * 7 * 10}, Counted{"box:1,1,1", 1, 1}));

// As a dense tensor [batch, x, y, z] has its elements.
TEST(Generate, BoxHasAllCellsInTheOrderOfADenseTensor) {
  const Int3 shape{2, 4, 3};
  const VoxelSet set = generate("box:2,4,3,2");
  EXPECT_EQ(set.box, (Box{2, shape}));
  EXPECT_EQ(set.origin, (Int3{0, 0, 0}));
  ASSERT_EQ(set.size(), 48);
  int64_t row = 0;
  for (int32_t batch = 0; batch < 2; ++batch)
    for (int32_t x = 0; x < shape[0]; ++x)
      for (int32_t y = 0; y < shape[1]; ++y)
        for (int32_t z = 0; z < shape[2]; ++z)
          EXPECT_EQ(set.coords[static_cast<size_t>(row++)], (Coord{batch, x, y, z}));
}

TEST(Generate, BoxOfOneSideIsTheCube) {
  const VoxelSet box = generate("box:4,4,4,3"), cube = generate("cube:4,3");
  EXPECT_EQ(box.coords, cube.coords);
  EXPECT_EQ(box.box, cube.box);
}

TEST(Generate, TooManyVoxelsAreCountedInTheMessage) {
  const auto message = [](const char* spec) {
    try {
      generate(spec);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message("box:1024,1024,1024,4"),
            "box:X,Y,Z[,BATCHES]: would make 4294967296 voxels, more than 2^30; make it smaller");
  const std::string most = "box:1073741824,1073741824,1073741824,1048576";
  EXPECT_NE(message(most.c_str()).find("would make 1.298074215e+33 voxels"), std::string::npos)
      << message(most.c_str());
  EXPECT_NE(message("box:8,0,8").find("Y is \"0\", expected a whole number from 1"),
            std::string::npos);
}

TEST(Generate, CenteredCubeKeepsItsNegativeOrigin) {
  EXPECT_EQ(generate("centered_cube:8").origin, (Int3{-4, -4, -4}));
}

TEST(Generate, FarKeysDifferByTwoToThe32) {
  const VoxelSet set = generate("far_keys");
  const int64_t key = int64_t{set.coords[1].x} * set.box.shape[1] * set.box.shape[2];
  EXPECT_EQ(key, int64_t{1} << 32);
}

TEST(Generate, BothEndsOfInt32AreRefused) {
  EXPECT_THROW(generate("far_ends:1"), Error);
  EXPECT_THROW(generate("far_ends:3"), Error);
}

TEST(Generate, RandomHasExactCountAndExpectedPairs) {
  for (const double p : {0.0, 0.05, 0.5, 0.9, 1.0}) {
    const VoxelSet set = generate("random:24," + std::to_string(p), 7);
    const double cells = 24 * 24 * 24, n = std::round(p * cells);
    EXPECT_EQ(static_cast<double>(set.size()), n);
    EXPECT_TRUE(std::ranges::is_sorted(set.coords));
    const double faces = 70.0 * 70 * 70 - cells;
    const double expected = n + n * (n - 1) / (cells * (cells - 1)) * faces;
    EXPECT_NEAR(static_cast<double>(count_pairs(set)), expected, 0.05 * expected) << p;
  }
}

TEST(Generate, SeedDecidesRandomSets) {
  EXPECT_EQ(generate("random:16,0.2", 1).coords, generate("random:16,0.2", 1).coords);
  EXPECT_NE(generate("random:16,0.2", 1).coords, generate("random:16,0.2", 2).coords);
}

TEST(Generate, NonsenseIsAUsageError) {
  for (const char* spec : {"spere:8",       "sphere",
                           "sphere:",       "sphere:7",
                           "sphere:8,2",    "sphere:0",
                           "sphere:8.5",    "sphere:99999999",
                           "sphere:x",      "cube:1024,4",
                           "random:8",      "random:8,1.5",
                           "random:8,nan",  "line:4,3",
                           "voxel:1",       "box:",
                           "box:8,8",       "box:8,8,8,0",
                           "box:8,8,8,1,1", "box:-8,8,8",
                           "box:8,8,1.5",   "box:1024,1024,1025",
                           "box:8,,8",      ""}) {
    try {
      generate(spec);
      FAIL() << spec << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage) << error.what();
    }
  }
}

TEST(Generate, SuggestsTheNearestName) {
  try {
    generate("spere:8");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("sphere"), std::string::npos) << error.what();
  }
}

TEST(Generate, KnowsItsNames) {
  EXPECT_TRUE(is_generator("sphere:64"));
  EXPECT_TRUE(is_generator("empty"));
  EXPECT_FALSE(is_generator("room_scan1.pcd"));
}

}  // namespace
}  // namespace spb::data
