// SPDX-License-Identifier: Apache-2.0
// What `inspect` tells of sets whose counts are known by hand or published.
#include "run/inspect.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "data/temp_file.h"
#include "data/voxelize.h"
#include "maps/brute_force.h"

namespace spb::run {
namespace {

Redundancy row_of(const Inspection& result, const std::string& order, int tile_rows,
                  int segments = 1) {
  for (const Redundancy& row : result.redundancy)
    if (row.order == order && row.tile_rows == tile_rows && row.segments == segments) return row;
  ADD_FAILURE() << "no row for " << order << " " << tile_rows << " " << segments;
  return {};
}

double redundancy(const Inspection& result, const std::string& order, int tile_rows) {
  return row_of(result, order, tile_rows).value;
}

int64_t executed(const Inspection& result, const std::string& order, int segments = 1) {
  return row_of(result, order, 32, segments).executed;
}

Problem subm(int channels = 16) {
  Problem problem;
  problem.c_in = problem.c_out = channels;
  return problem;
}

// Values of gray and window: computed apart, from bitmaps and std::sort.
TEST(Inspect, SphereTableIsRight) {
  const Tilings heights{.heights = {64, 128, 256}, .segments = {1}};
  const Inspection r64 = inspect(brute::sphere(64), subm(), heights);
  EXPECT_EQ(r64.n_in, 15192);
  EXPECT_EQ(r64.n_out, 15192);
  EXPECT_EQ(r64.n_pairs, 191208);
  EXPECT_NEAR(r64.pairs_per_voxel, 12.59, 0.005);
  EXPECT_EQ(r64.redundancy.size(), 15u);
  EXPECT_NEAR(redundancy(r64, "none", 128), 2.14, 0.005);
  EXPECT_NEAR(redundancy(r64, "gray", 128), 1.615, 0.0005);
  EXPECT_NEAR(redundancy(inspect(brute::sphere(128), subm(), heights), "gray", 128), 1.315, 0.0005);
  const Inspection r256 = inspect(brute::sphere(256), subm(), heights);
  EXPECT_NEAR(redundancy(r256, "none", 128), 2.10, 0.005);
  EXPECT_NEAR(redundancy(r256, "gray", 128), 1.148, 0.0005);
  EXPECT_NEAR(redundancy(r256, "window", 128), 1.239, 0.0005);
}

// Counted apart from bitmaps: rows sorted by the bits of offsets 0 to 13, then of 14 to 26.
TEST(Inspect, LocationsOfSplitMasks) {
  struct Row {
    int32_t resolution;
    int64_t valid, dense, none, plain, plain_in_two;
  };
  constexpr Row kTable[] = {{64, 191208, 410184, 397824, 267168, 222176},
                            {256, 3203048, 6814584, 6527456, 3396512, 3245600}};
  for (const Row& row : kTable) {
    const Inspection result =
        inspect(brute::sphere(row.resolution), subm(), {.heights = {32}, .segments = {1, 2}});
    EXPECT_EQ(result.n_pairs, row.valid);
    EXPECT_EQ(result.n_out * result.kernel_volume, row.dense);
    EXPECT_EQ(executed(result, "none"), row.none);
    EXPECT_EQ(executed(result, "plain"), row.plain);
    EXPECT_EQ(executed(result, "plain", 2), row.plain_in_two);
  }
}

TEST(Inspect, EverySegmentOfOneOffsetExecutesWhatIsThere) {
  const Inspection result =
      inspect(brute::sphere(16), subm(), {.heights = {1}, .segments = {1, 3}});
  for (const Redundancy& row : result.redundancy) EXPECT_EQ(row.executed, 10544) << row.order;
  EXPECT_THROW(inspect(brute::sphere(8), subm(), {.heights = {1}, .segments = {17}}), Error);
  Problem pointwise = subm();
  pointwise.geometry.kernel_size = {1, 1, 1};
  EXPECT_THROW(inspect(brute::sphere(8), pointwise, {.heights = {1}, .segments = {2}}), Error);
  EXPECT_EQ(inspect(brute::sphere(8), pointwise, {.heights = {1}}).redundancy.size(), 5u);
  EXPECT_EQ(inspect(brute::sphere(8), subm(), {.heights = {1}}).redundancy.size(), 1u + 4 * 3);
}

// A shell is symmetric to its center, an L is not: its corner has x + 1 and y + 1, and no row the
// mirrored x - 1 and y - 1.
TEST(Inspect, CountsMirroredMasks) {
  const Inspection shell = inspect(brute::sphere(16), subm(), {.heights = {32}});
  EXPECT_EQ(shell.mirrored, shell.n_out);
  const VoxelSet corner{{{0, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}, {1, {2, 2, 1}}, {}};
  EXPECT_EQ(inspect(corner, subm(), {.heights = {32}}).mirrored, 0);
}

TEST(Inspect, ClustersWasteLessThanAnyOtherOrder) {
  const Tilings heights{.heights = {64, 128, 256}, .segments = {1}};
  const auto expect_least = [&](const VoxelSet& voxels, double of_gray) {
    const Inspection result = inspect(voxels, subm(), heights);
    for (const int height : heights.heights)
      EXPECT_LT(redundancy(result, "greedy", height), redundancy(result, "gray", height));
    EXPECT_LT(redundancy(result, "greedy", 128), of_gray * redundancy(result, "gray", 128));
  };
  for (const int32_t resolution : {32, 64}) expect_least(brute::sphere(resolution), 0.92);
  SPB_SCAN_OR_SKIP(street, "ouster_os2-128_street.bin");
  expect_least(data::voxelize(data::read_file(street), {.voxel_size = 0.1}), 0.88);
  SPB_SCAN_OR_SKIP(hall, "velodyne_hdl32_mrpt.bin");
  expect_least(data::voxelize(data::read_file(hall), {.voxel_size = 0.1}), 0.88);
}

// A 2 x 1 x 1 bar and a voxel apart: 3 rows, 5 pairs.
TEST(Inspect, CountsByHand) {
  const VoxelSet voxels{{{0, 0, 0, 0}, {0, 1, 0, 0}, {0, 5, 5, 5}}, {1, {6, 6, 6}}, {}};
  const Inspection result = inspect(voxels, subm(), {.heights = {2}});
  EXPECT_EQ(result.n_pairs, 5);
  EXPECT_EQ(result.isolated, 1);
  EXPECT_EQ(result.distinct_masks, 3);
  EXPECT_DOUBLE_EQ(result.occupancy, 3.0 / 216);
  EXPECT_EQ(result.neighbor_histogram[1], 1);
  EXPECT_EQ(result.neighbor_histogram[2], 2);
  EXPECT_EQ(result.pairs_per_offset[13], 3);
  EXPECT_EQ(result.pairs_per_offset[4], 1);   // x - 1
  EXPECT_EQ(result.pairs_per_offset[22], 1);  // x + 1
  // Tiles {0, 1} and {2}: offsets {4, 13, 22} and {13}.
  EXPECT_DOUBLE_EQ(redundancy(result, "none", 2), 2 * 4 / 5.0);
}

TEST(Inspect, AnEmptySetHasNoWork) {
  const Inspection result = inspect({}, subm(), {.heights = {64}});
  EXPECT_EQ(result.n_pairs, 0);
  EXPECT_EQ(result.pairs_per_voxel, 0);
  EXPECT_EQ(result.occupancy, 0);
  EXPECT_EQ(redundancy(result, "gray", 64), 0);
}

TEST(Inspect, StridedCountsOutputRows) {
  Problem problem = subm();
  problem.geometry = {ConvKind::strided, {2, 2, 2}, {2, 2, 2}, {1, 1, 1}};
  VoxelSet cube{{}, {1, {4, 4, 4}}, {}};
  for (int32_t i = 0; i < 64; ++i) cube.coords.push_back({0, i / 16, i / 4 % 4, i % 4});
  const Inspection result = inspect(cube, problem, {.heights = {4}});
  EXPECT_EQ(result.n_out, 8);
  EXPECT_EQ(result.n_pairs, 64);
  EXPECT_EQ(result.isolated, 0);
  EXPECT_DOUBLE_EQ(redundancy(result, "none", 4), 1);
  EXPECT_EQ(result.unread, 0);
}

TEST(Inspect, CountsInputsWithoutOutputs) {
  Problem problem = subm();
  problem.geometry = {ConvKind::strided, {1, 1, 1}, {2, 1, 1}, {1, 1, 1}};
  const VoxelSet line{{{0, 0, 0, 0}, {0, 1, 0, 0}, {0, 3, 0, 0}}, {1, {4, 1, 1}}, {}};
  EXPECT_EQ(inspect(line, problem, {.heights = {4}}).unread, 2);
}

}  // namespace
}  // namespace spb::run
