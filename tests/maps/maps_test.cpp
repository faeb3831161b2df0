// SPDX-License-Identifier: Apache-2.0
// Output coords, neighbor, reverse and kernel maps against brute force.
#include <tuple>

#include "device_fixture.h"
#include "shapes.h"

namespace spb::maps {
namespace {

using MapsTest = DeviceTest;

TEST_F(MapsTest, OutputCoordsAreEveryReachedCellInOrder) {
  for (const auto& shape : brute::shapes()) {
    const DeviceCoords in = upload(shape.voxels);
    const MadeCoords out = build_made_coords(in, shape.geometry, context());
    EXPECT_EQ(download(out), brute::output_coords(shape.voxels, shape.geometry))
        << brute::text(shape);
    EXPECT_EQ(out.box, made_grid(shape.voxels.box, shape.geometry).box);
  }
}

TEST_F(MapsTest, NeighborMapHasEveryPair) {
  for (const auto& shape : brute::shapes())
    for (const int key_bits : {0, 64}) {
      const DeviceCoords in = upload(shape.voxels);
      const HashOptions hash{.key_bits = key_bits};
      const MadeCoords out = build_made_coords(in, shape.geometry, context(), hash);
      const auto made = build_neighbor_map(in, out, shape.geometry, context(), hash);
      const NeighborMap& map = *made;
      ASSERT_EQ(map.n_rows, out.n);
      EXPECT_EQ(download(map.rows),
                brute::neighbor_map(shape.voxels, download(out), shape.geometry))
          << brute::text(shape) << ", key bits " << key_bits;
    }
}

// Where most keys find their first slot taken, down to tables of two slots and of one.
TEST_F(MapsTest, NeighborMapOfACrowdedTableHasEveryPair) {
  for (const int64_t count : {1, 2, 63, 500})
    for (const Int3 size : {Int3{3, 3, 3}, Int3{9, 1, 3}, Int3{3, 9, 1}})
      for (const int key_bits : {32, 64}) {
        const VoxelSet voxels = brute::random_voxels({1, {8, 8, 9}}, count, 5);
        const ConvGeometry geometry{.kernel_size = size};
        const DeviceCoords in = upload(voxels);
        const MadeCoords out = build_made_coords(in, geometry, context());
        for (int64_t capacity = 1; capacity <= 1024; capacity *= 2) {
          if (capacity < count) continue;
          const HashOptions hash{.capacity = capacity, .key_bits = key_bits};
          const auto map = build_neighbor_map(in, out, geometry, context(), hash);
          EXPECT_EQ(download(map->rows), brute::neighbor_map(voxels, download(out), geometry))
              << count << " voxels, " << capacity << " slots, key bits " << key_bits << ", kernel "
              << size[0] << " x " << size[1] << " x " << size[2];
        }
      }
}

// The general lookup must agree with the mirrored one where both are valid.
TEST_F(MapsTest, StridedWithStrideOneGivenTheInputsEqualsSubmanifold) {
  const VoxelSet voxels = brute::random_voxels({2, {9, 9, 9}}, 500, 4);
  const DeviceCoords in = upload(voxels);
  const ConvGeometry subm;
  ConvGeometry general = subm;
  general.kind = ConvKind::strided;
  const MadeCoords out = build_made_coords(in, subm, context());
  EXPECT_EQ(download(build_neighbor_map(in, out, subm, context())->rows),
            download(build_neighbor_map(in, out, general, context())->rows));
}

TEST_F(MapsTest, ReverseMapSwapsTheSides) {
  for (const auto& shape : brute::shapes()) {
    const DeviceCoords in = upload(shape.voxels);
    const LayerMaps maps = build(in, shape.geometry, {.table = true, .reverse_table = true});
    const NeighborMap &forward = maps.forward, &reverse = maps.reverse;
    const auto volume = static_cast<size_t>(forward.kernel_volume);
    std::vector<int32_t> expected(shape.voxels.coords.size() * volume, -1);
    const std::vector<int32_t> rows = download(forward.rows);
    for (size_t i = 0; i < rows.size(); ++i)
      if (rows[i] >= 0)
        expected[static_cast<size_t>(rows[i]) * volume + i % volume] =
            static_cast<int32_t>(i / volume);
    if (shape.geometry.kind != ConvKind::subm) {
      ASSERT_EQ(reverse.n_rows, in.size());
      EXPECT_EQ(download(reverse.rows), expected) << brute::text(shape);
      continue;
    }
    EXPECT_EQ(reverse.rows.size(), 0);  // the forward map serves, mirrored
    for (size_t i = 0; i < rows.size(); ++i)
      ASSERT_EQ(expected[i], rows[i / volume * volume + volume - 1 - i % volume]);
  }
}

TEST_F(MapsTest, KernelMapListsPairsByOffsetThenOutput) {
  for (const auto& shape : brute::shapes()) {
    const DeviceCoords in = upload(shape.voxels);
    const LayerMaps made = build(in, shape.geometry, {.pairs = true});
    const KernelMap& map = made.pairs;
    const MapSet expected = brute::map_set(shape.voxels, shape.geometry);
    const auto in_index = download(map.fine_index), out_index = download(map.coarse_index);
    const auto& begin = map.offset_begin_host;
    ASSERT_EQ(download(map.offset_begin), begin);
    ASSERT_EQ(begin.size(), static_cast<size_t>(shape.geometry.kernel_volume()) + 1);
    ASSERT_EQ(map.n_pairs(), static_cast<int64_t>(expected.triples.size())) << brute::text(shape);
    ASSERT_EQ(begin.back(), map.n_pairs());
    Triples triples;
    for (size_t o = 0; o + 1 < begin.size(); ++o)
      for (auto i = static_cast<size_t>(begin[o]); i < static_cast<size_t>(begin[o + 1]); ++i)
        triples.push_back({static_cast<int32_t>(o), out_index[i], in_index[i]});
    EXPECT_EQ(triples, expected.triples) << brute::text(shape);
  }
}

TEST_F(MapsTest, PairListsOfAMapThatExistsAreTheSame) {
  for (const auto& shape : brute::shapes()) {
    const DeviceCoords in = upload(shape.voxels);
    const LayerMaps maps = build(in, shape.geometry, {.table = true, .pairs = true});
    const KernelMap pairs = build_kernel_map(maps.forward, context());
    ASSERT_EQ(maps.pairs.offset_begin_host, pairs.offset_begin_host);
    ASSERT_EQ(download(maps.pairs.offset_begin), download(pairs.offset_begin));
    ASSERT_EQ(download(maps.pairs.fine_index), download(pairs.fine_index));
    ASSERT_EQ(download(maps.pairs.coarse_index), download(pairs.coarse_index));
  }
}

TEST_F(MapsTest, ScatterIsStableAcrossChunks) {
  const VoxelSet voxels = brute::random_voxels({1, {20, 20, 20}}, 5000, 5);
  const LayerMaps made = build(upload(voxels), {}, {.pairs = true});
  const KernelMap& map = made.pairs;
  const auto out_index = download(map.coarse_index);
  for (size_t o = 0; o < 27; ++o)
    for (auto i = map.offset_begin_host[o] + 1; i < map.offset_begin_host[o + 1]; ++i)
      ASSERT_LT(out_index[static_cast<size_t>(i) - 1], out_index[static_cast<size_t>(i)]);
}

TEST_F(MapsTest, SphereCountsAreExact) {
  const std::tuple<int32_t, int64_t, int64_t> kCounts[] = {
      {8, 192, 2544},       {16, 848, 10544},       {32, 3840, 50304},       {64, 15192, 191208},
      {128, 64160, 831680}, {256, 252392, 3203048}, {512, 1026536, 13155032}};
  for (const auto& [resolution, n, n_pairs] : kCounts) {
    const VoxelSet voxels = brute::sphere(resolution);
    ASSERT_EQ(voxels.size(), n);
    const LayerMaps made = build(upload(voxels), {}, {.pairs = true});
    const KernelMap& map = made.pairs;
    EXPECT_EQ(map.n_pairs(), n_pairs) << "R = " << resolution;
  }
}

}  // namespace
}  // namespace spb::maps
