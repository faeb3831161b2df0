// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

#include "core/error.h"
#include "data/generate.h"
#include "data/voxelize.h"

namespace spb::data {
namespace {

VoxelSet shuffled(const std::string& spec) {
  VoxelSet set = generate(spec, 3);
  std::shuffle(set.coords.begin(), set.coords.end(), std::mt19937(5));
  return set;
}

TEST(RowOrder, EveryOrderKeepsTheSet) {
  for (const VoxelOrder order :
       {VoxelOrder::file, VoxelOrder::lex, VoxelOrder::z, VoxelOrder::hash}) {
    VoxelSet set = shuffled("cube:5,3");
    sort_rows(set, order);
    std::ranges::sort(set.coords);
    EXPECT_EQ(set.coords, generate("cube:5,3").coords) << name(order);
  }
}

TEST(RowOrder, FileLeavesRowsAlone) {
  VoxelSet set = shuffled("cube:4");
  const auto before = set.coords;
  sort_rows(set, VoxelOrder::file);
  EXPECT_EQ(set.coords, before);
}

TEST(RowOrder, LexIsBatchThenXThenYThenZ) {
  VoxelSet set = shuffled("cube:3,2");
  sort_rows(set, VoxelOrder::lex);
  EXPECT_EQ(set.coords, generate("cube:3,2").coords);
}

uint64_t morton(const Coord& c) {
  uint64_t code = 0;
  for (int bit = 0; bit < 16; ++bit)
    code |= uint64_t(c.x >> bit & 1) << (3 * bit + 2) | uint64_t(c.y >> bit & 1) << (3 * bit + 1) |
            uint64_t(c.z >> bit & 1) << (3 * bit);
  return code;
}

TEST(RowOrder, ZFollowsTheMortonCodeWithXHighest) {
  VoxelSet set = shuffled("cube:9,2");
  sort_rows(set, VoxelOrder::z);
  EXPECT_TRUE(std::ranges::is_sorted(set.coords, {},
                                     [](const Coord& c) { return std::pair(c.batch, morton(c)); }));
}

TEST(RowOrder, ZStartsAtTheMinimumOfEachBatch) {
  VoxelSet set;
  // From their minimum, (1, 1, 1), the rows are at (0, 0, 1) and (1, 0, 0): z first.
  set.coords = {{0, 2, 1, 1}, {0, 1, 1, 2}, {0, 1, 1, 1}};
  set.box.shape = {3, 2, 3};
  sort_rows(set, VoxelOrder::z);
  EXPECT_EQ(set.coords, (std::vector<Coord>{{0, 1, 1, 1}, {0, 1, 1, 2}, {0, 2, 1, 1}}));
}

TEST(RowOrder, HashScattersNeighbours) {
  VoxelSet set = generate("plane:64");
  sort_rows(set, VoxelOrder::hash);
  int adjacent = 0;
  for (size_t row = 1; row < set.coords.size(); ++row)
    adjacent += std::abs(set.coords[row].x - set.coords[row - 1].x) <= 1 &&
                std::abs(set.coords[row].y - set.coords[row - 1].y) <= 1;
  EXPECT_LT(adjacent, 30);  // 9 in expectation, 4095 in lexicographic order
}

TEST(CopyAsBatches, EveryCopyHasBatchesOfItsOwn) {
  VoxelSet set = generate("cube:3,2");
  copy_as_batches(set, 3);
  EXPECT_EQ(set.coords, generate("cube:3,6").coords);
  EXPECT_EQ(set.box, generate("cube:3,6").box);
}

TEST(CopyAsBatches, RefusesMoreRowsThanInt32) {
  VoxelSet set = generate("cube:4");
  EXPECT_THROW(copy_as_batches(set, (1 << 25) + 1), Error);
  EXPECT_EQ(set.size(), 64);
}

TEST(RowOrder, NamesRoundTripAndTyposAreUsageErrors) {
  for (const char* text : {"file", "lex", "z", "hash"})
    EXPECT_STREQ(name(parse_voxel_order(text, "--order")), text);
  try {
    parse_voxel_order("hsah", "--order");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("\"hash\""), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace spb::data
