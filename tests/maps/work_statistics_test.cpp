// SPDX-License-Identifier: Apache-2.0
// The counts and the redundancy tables of algorithms.md, section 5, and kernels.md, section 2.
#include "maps/lists/work_statistics.h"

#include <gtest/gtest.h>
#include <tuple>

#include "device_fixture.h"
#include "shapes.h"

namespace spb::maps {
namespace {

/// The map of a sphere, read back from the builders: brute force would take minutes.
class SphereTest : public DeviceTest {
 protected:
  MapSet map_of(const VoxelSet& voxels) {
    const LayerMaps made = build(upload(voxels), {}, {.pairs = true});
    const KernelMap& map = made.pairs;
    const auto in_index = download(map.fine_index), out_index = download(map.coarse_index);
    MapSet set{voxels.coords, {}};
    for (size_t o = 0; o < 27; ++o)
      for (auto i = static_cast<size_t>(map.offset_begin_host[o]);
           i < static_cast<size_t>(map.offset_begin_host[o + 1]); ++i)
        set.triples.push_back({static_cast<int32_t>(o), out_index[i], in_index[i]});
    return set;
  }
  void expect_redundancy(const MapSet& map, const std::vector<int32_t>& order, int tile_rows,
                         double expected) {
    const HostMasks masks = host_masks(map, {3, 3, 3});
    const double value = redundancy(listed_offsets(masks, order, tile_rows), tile_rows,
                                    static_cast<int64_t>(map.triples.size()));
    EXPECT_NEAR(value, expected, 0.005001) << tile_rows << " rows";
  }
};

// Published for offsets that rank by their number.
TEST_F(SphereTest, RedundancyIsThePublishedOne) {
  constexpr int64_t kPublishedWindow = 16384;
  struct Row {
    int32_t resolution;
    RowOrder order;
    int tile_rows;
    double value;
  };
  constexpr Row kTable[] = {
      {64, RowOrder::none, 128, 2.14},    {64, RowOrder::gray, 128, 1.68},
      {128, RowOrder::gray, 128, 1.35},   {256, RowOrder::none, 128, 2.10},
      {256, RowOrder::gray, 128, 1.16},   {256, RowOrder::window, 128, 1.28},
      {512, RowOrder::none, 64, 1.84},    {512, RowOrder::none, 128, 1.89},
      {512, RowOrder::none, 256, 1.96},   {512, RowOrder::gray, 64, 1.03},
      {512, RowOrder::gray, 128, 1.05},   {512, RowOrder::gray, 256, 1.09},
      {512, RowOrder::window, 64, 1.08},  {512, RowOrder::window, 128, 1.13},
      {512, RowOrder::window, 256, 1.21},
  };
  for (const int32_t resolution : {64, 128, 256, 512}) {
    const VoxelSet voxels = brute::sphere(resolution);
    const MapSet map = map_of(voxels);
    HostMasks masks = host_masks(map, {3, 3, 3});
    masks.kernel_size = {};
    for (const Row& row : kTable) {
      if (row.resolution != resolution) continue;
      SCOPED_TRACE("R = " + std::to_string(resolution) + ", " + name(row.order));
      const bool windowed = row.order == RowOrder::window;
      const auto positions = windowed ? z_order(voxels.coords) : std::vector<int32_t>();
      expect_redundancy(map, host_order(masks, row.order, kPublishedWindow, positions),
                        row.tile_rows, row.value);
    }
    EXPECT_LE(count_distinct(masks), 7000);
  }
}

// Computed apart, from bitmaps and std::sort.
TEST_F(SphereTest, FarOffsetsFirstWasteLess) {
  const std::tuple<int32_t, RowOrder, double> kTable[] = {{64, RowOrder::gray, 1.6153},
                                                          {128, RowOrder::gray, 1.3145},
                                                          {256, RowOrder::gray, 1.1476},
                                                          {256, RowOrder::window, 1.2413}};
  for (const auto& [resolution, order, expected] : kTable) {
    const MapSet map = map_of(brute::sphere(resolution));
    const HostMasks masks = host_masks(map, {3, 3, 3});
    const double value = redundancy(listed_offsets(masks, host_order(masks, order, kWindow), 128),
                                    128, static_cast<int64_t>(map.triples.size()));
    EXPECT_NEAR(value, expected, 5.0001e-5) << "R = " << resolution << ", " << name(order);
  }
}

// Computed apart, with costs that are not rounded.
TEST_F(SphereTest, ClustersWasteLeast) {
  const std::tuple<int32_t, int, double> kTable[] = {
      {64, 64, 1.26}, {64, 128, 1.384}, {128, 128, 1.164}, {256, 128, 1.066}};
  for (const auto& [resolution, tile_rows, expected] : kTable) {
    SCOPED_TRACE("R = " + std::to_string(resolution));
    const MapSet map = map_of(brute::sphere(resolution));
    const HostMasks masks = host_masks(map, {3, 3, 3});
    expect_redundancy(map, host_order(masks, RowOrder::greedy, masks.n_rows, {}, tile_rows),
                      tile_rows, expected);
  }
}

TEST_F(SphereTest, ZOrderAloneSavesLittle) {
  const VoxelSet voxels = brute::sphere(256);
  expect_redundancy(map_of(voxels), z_order(voxels.coords), 128, 1.86);
}

TEST(WorkStatistics, CountsAgreeWithBruteForce) {
  for (const auto& shape : brute::shapes()) {
    const int volume = shape.geometry.kernel_volume();
    const MapSet map = brute::map_set(shape.voxels, shape.geometry);
    const auto expected =
        brute::masks(brute::neighbor_map(shape.voxels, map.out_coords, shape.geometry), volume);
    const HostMasks masks = host_masks(map, shape.geometry.kernel_size);
    std::vector<int64_t> histogram(static_cast<size_t>(volume) + 1);
    std::vector<int64_t> pairs(static_cast<size_t>(volume));
    for (const auto& mask : expected) {
      ++histogram[static_cast<size_t>(std::count(mask.begin(), mask.end(), true))];
      for (size_t o = 0; o < mask.size(); ++o) pairs[o] += mask[o];
    }
    EXPECT_EQ(count_distinct(masks),
              static_cast<int64_t>(std::set(expected.begin(), expected.end()).size()))
        << brute::text(shape);
    EXPECT_EQ(popcount_histogram(masks), histogram) << brute::text(shape);
    EXPECT_EQ(pairs_per_offset(map, volume), pairs) << brute::text(shape);
  }
}

class StatisticsAgainstDevice : public DeviceTest {};

TEST_F(StatisticsAgainstDevice, OrdersAndListedOffsetsAgree) {
  for (const auto& shape : brute::shapes()) {
    const DeviceCoords in = upload(shape.voxels);
    const HostMasks host =
        host_masks(brute::map_set(shape.voxels, shape.geometry), shape.geometry.kernel_size);
    for (const auto order : {RowOrder::plain, RowOrder::gray, RowOrder::window, RowOrder::greedy}) {
      const LayerNeeds needs{.fprop_lists = true, .tile_rows = 32, .order = order, .window = 50};
      const LayerMaps made = build(in, shape.geometry, needs);
      const TileLists& lists = made.fprop;
      const std::vector<int32_t> host_rows = host_order(host, order, 50, {}, 32);
      ASSERT_EQ(download(lists.order), host_rows) << brute::text(shape) << " " << name(order);
      EXPECT_EQ(lists.listed, listed_offsets(host, host_rows, 32));
    }
  }
}

TEST(ZOrder, IsMortonByBatchWithTheMinimumSubtracted) {
  const VoxelSet voxels = brute::random_voxels({3, {40, 50, 33}}, 3000, 6);
  std::vector<Coord> shifted = voxels.coords;
  for (Coord& coord : shifted) coord.x += 5, coord.y -= 1000, coord.z += 77;
  Coord low[3];
  for (int32_t b = 0; b < 3; ++b) {
    low[b] = {b, 1000, 1000, 1000};
    for (const Coord& c : voxels.coords)
      if (c.batch == b)
        low[b] = {b, std::min(low[b].x, c.x), std::min(low[b].y, c.y), std::min(low[b].z, c.z)};
  }
  const auto morton = [&](int32_t row) {
    const Coord& c = voxels.coords[static_cast<size_t>(row)];
    const Coord& l = low[c.batch];
    int64_t code = c.batch;
    for (int bit = 7; bit >= 0; --bit)
      code = code * 8 + ((c.z - l.z) >> bit & 1) * 4 + ((c.y - l.y) >> bit & 1) * 2 +
             ((c.x - l.x) >> bit & 1);
    return code;
  };
  const std::vector<int32_t> rows = z_order(shifted);
  ASSERT_EQ(rows.size(), voxels.coords.size());
  for (size_t i = 1; i < rows.size(); ++i) ASSERT_LT(morton(rows[i - 1]), morton(rows[i]));
  EXPECT_TRUE(z_order({}).empty());
}

TEST(Redundancy, CountsPartialTilesWhole) {
  // Three rows of one pair each at height 2: two tiles, each lists one offset.
  const MapSet map{{{0, 0, 0, 0}, {0, 5, 0, 0}, {0, 10, 0, 0}},
                   {{13, 0, 0}, {13, 1, 1}, {13, 2, 2}}};
  const HostMasks masks = host_masks(map, {3, 3, 3});
  EXPECT_EQ(listed_offsets(masks, {}, 2), 2);
  EXPECT_DOUBLE_EQ(redundancy(2, 2, 3), 4.0 / 3);
  EXPECT_EQ(redundancy(0, 2, 0), 0);
}

// A shell is symmetric: cut at another offset, its segments list as much. These are not.
TEST_F(SphereTest, SegmentsListWhatTheDeviceLists) {
  constexpr int kRows = 16;
  for (const auto& shape : brute::shapes()) {
    if (!shape.what.starts_with("random ") && !shape.what.starts_with("rules ")) continue;
    const MapSet map = brute::map_set(shape.voxels, shape.geometry);
    const HostMasks masks = host_masks(map, shape.geometry.kernel_size);
    for (const int segments : {2, 3}) {
      if (segments > masks.kernel_volume) continue;
      SCOPED_TRACE(brute::text(shape) + ", segments " + std::to_string(segments));
      const LayerMaps made = build(upload(shape.voxels), shape.geometry,
                                   {.fprop_lists = true,
                                    .tile_rows = kRows,
                                    .segments = segments,
                                    .order = RowOrder::plain});
      int64_t listed = 0;
      for (int segment = 0; segment < segments; ++segment) {
        const HostMasks part = of_segment(masks, segment, segments);
        listed += listed_offsets(part, host_order(part, RowOrder::plain, 1), kRows);
      }
      EXPECT_EQ(made.fprop.valid_kernel.size(), listed);
    }
  }
}

}  // namespace
}  // namespace spb::maps
