// SPDX-License-Identifier: Apache-2.0
// All maps in one chain: its parts, its waits, its memory, its refusals. The contents stand in
// maps_test and tiles_test.
#include <algorithm>
#include <string>
#include <utility>

#include "device_fixture.h"
#include "maps/download.h"
#include "shapes.h"

namespace spb::maps {
namespace {

using BuildMapsTest = DeviceTest;

TEST_F(BuildMapsTest, PartsBuiltTogetherEqualThoseBuiltAlone) {
  for (const auto& shape : brute::shapes()) {
    SCOPED_TRACE(brute::text(shape));
    const DeviceCoords in = upload(shape.voxels);
    const LayerMaps all = build(in, shape.geometry, everything());
    const auto alone = [&](const LayerNeeds& needs) { return build(in, shape.geometry, needs); };
    EXPECT_EQ(download(all.forward.rows), download(alone({.table = true}).forward.rows));
    EXPECT_EQ(download(all.reverse.rows), download(alone({.reverse_table = true}).reverse.rows));
    EXPECT_EQ(download(all.fprop.tile_index),
              download(alone({.fprop_lists = true}).fprop.tile_index));
    EXPECT_EQ(download(all.dgrad.tile_index),
              download(alone({.dgrad_lists = true}).dgrad.tile_index));
    const LayerMaps alone_pairs = alone({.pairs = true});
    const KernelMap& pairs = alone_pairs.pairs;
    EXPECT_EQ(all.pairs.offset_begin_host, pairs.offset_begin_host);
    EXPECT_EQ(download(all.pairs.fine_index), download(pairs.fine_index));
    EXPECT_EQ(download(all.pairs.coarse_index), download(pairs.coarse_index));
  }
}

// Pairs share a launch with the tile index where its blocks have as many threads, which 48 rows and
// wide kernels have not; 256 rows are cut in parts.
TEST_F(BuildMapsTest, ListsOfAnyHeightAreWrittenBesidePairs) {
  for (const auto& shape : brute::shapes()) {
    if (shape.voxels.coords.size() > 300) continue;
    const DeviceCoords in = upload(shape.voxels);
    const LayerMaps alone_pairs = build(in, shape.geometry, {.pairs = true});
    for (const auto& [tile_rows, segments] : {std::pair(16, 1), {48, 3}, {64, 2}, {256, 1}}) {
      SCOPED_TRACE(brute::text(shape) + ", tiles of " + std::to_string(tile_rows) + ", " +
                   std::to_string(segments) + " segments");
      LayerNeeds needs;
      needs.fprop_lists = needs.dgrad_lists = true;
      needs.tile_rows = tile_rows;
      needs.segments = segments;
      const LayerMaps alone = build(in, shape.geometry, needs);
      needs.pairs = true;
      const LayerMaps all = build(in, shape.geometry, needs);
      for (const auto& [a, b] : {std::pair(&all.fprop, &alone.fprop), {&all.dgrad, &alone.dgrad}}) {
        EXPECT_EQ(download(a->tile_index), download(b->tile_index));
        EXPECT_EQ(download(a->valid_kernel), download(b->valid_kernel));
        EXPECT_EQ(download(a->valid_kernel_seg), download(b->valid_kernel_seg));
      }
      EXPECT_EQ(download(all.pairs.fine_index), download(alone_pairs.pairs.fine_index));
      EXPECT_EQ(download(all.pairs.coarse_index), download(alone_pairs.pairs.coarse_index));
    }
  }
}

TEST_F(BuildMapsTest, MakeOnlyWhatIsNeeded) {
  const DeviceCoords in = upload(brute::random_voxels({1, {9, 9, 9}}, 300, 1));
  for (const ConvKind kind : {ConvKind::subm, ConvKind::strided})
    for (unsigned bits = 0; bits < 32; ++bits) {
      LayerNeeds needs;
      needs.table = bits & 1;
      needs.reverse_table = bits & 2;
      needs.fprop_lists = bits & 4;
      needs.dgrad_lists = bits & 8;
      needs.pairs = bits & 16;
      ConvGeometry geometry;
      geometry.kind = kind;
      const bool subm = kind == ConvKind::subm;
      const LayerMaps maps = build(in, geometry, needs);
      EXPECT_EQ(maps.forward.rows.size() > 0, needs.table);
      EXPECT_EQ(maps.reverse.rows.size() > 0, needs.reverse_table && !subm);
      EXPECT_EQ(maps.fprop.listed > 0, needs.fprop_lists || (subm && needs.dgrad_lists));
      EXPECT_EQ(maps.dgrad.listed > 0, needs.dgrad_lists && !subm);
      EXPECT_EQ(maps.pairs.n_pairs() > 0, needs.pairs);
      EXPECT_EQ(maps.fprop.tile_index.size(), maps.fprop.listed * 128 * (maps.fprop.tiles > 0));
    }
}

// What verification compares is what kernels read.
TEST_F(BuildMapsTest, ListsNameThePairsOfTheirMap) {
  for (const auto& shape : brute::shapes()) {
    SCOPED_TRACE(brute::text(shape));
    const DeviceCoords in = upload(shape.voxels);
    const bool halos = shape.geometry.kernel_volume() <= kMostHaloOffsets;
    for (LayerNeeds needs : {everything(), everything(RowOrder::none), LayerNeeds()}) {
      if (!needs.table) {
        if (!halos) continue;
        needs = everything(RowOrder::z);
        needs.halos = true;
        needs.tile_index = false;
        needs.tile_rows = kHaloGroupRows;
      } else {
        needs.segments = std::min(3, shape.geometry.kernel_volume());
      }
      const LayerMaps maps = build(in, shape.geometry, needs);
      const auto sorted = [&](const auto& map) {
        Triples pairs = download_pairs(map, stream_);
        std::ranges::sort(pairs);
        return pairs;
      };
      EXPECT_EQ(sorted(maps.fprop), sorted(maps.forward));
      EXPECT_EQ(sorted(maps.pairs), sorted(maps.forward));
      if (shape.geometry.kind != ConvKind::subm) {
        EXPECT_EQ(sorted(maps.dgrad), sorted(maps.reverse));
      }
    }
  }
}

TEST_F(BuildMapsTest, WaitOnce) {
  const DeviceCoords in = upload(brute::random_voxels({1, {9, 9, 9}}, 300, 1));
  for (const ConvKind kind : {ConvKind::subm, ConvKind::strided}) {
    ConvGeometry geometry;
    geometry.kind = kind;
    const MadeCoords out = build_made_coords(in, geometry, context());
    for (const LayerNeeds& needs :
         {everything(), everything(RowOrder::window), everything(RowOrder::greedy), LayerNeeds()}) {
      const int64_t before = stream_.waits();
      build_layer_maps(in, out, geometry, needs, context());
      EXPECT_EQ(stream_.waits() - before, 1);
    }
  }
}

TEST_F(BuildMapsTest, AWindowWaitsForTheRowsItIsFor) {
  const DeviceCoords in = upload(brute::random_voxels({1, {9, 9, 9}}, 300, 1));
  LayerNeeds needs;
  needs.fprop_lists = true;
  needs.window = 100;
  const auto order = [&](RowOrder kind, int64_t gray_up_to_rows) {
    needs.order = kind;
    needs.gray_up_to_rows = gray_up_to_rows;
    return download(build(in, {}, needs).fprop.order);
  };
  EXPECT_EQ(order(RowOrder::window, 300), order(RowOrder::gray, 0));
  EXPECT_NE(order(RowOrder::window, 299), order(RowOrder::gray, 0));
}

// Without guards a device's allocator hands released memory out while the kernels that use it still
// run; what a chain returns must not be touched by its own scratch or by the next chain's.
TEST_F(BuildMapsTest, ReuseOfMemoryHarmsNoResult) {
  const VoxelSet voxels = brute::sphere(128);
  const auto pairs_of = [&](const TileLists& lists) {
    Triples pairs = download_pairs(lists, stream_);
    std::ranges::sort(pairs);
    return pairs;
  };
  const auto expect_reuse_harms_none = [&](const ConvGeometry& geometry, const LayerNeeds& needs) {
    const LayerMaps expected = build(upload(voxels), geometry, needs);
    gpu::Allocator reusing;
    const BuildContext reusing_context{reusing, stream_};
    {
      const DeviceCoords in = maps::upload(voxels, reusing, stream_);
      const MadeCoords out = build_made_coords(in, geometry, reusing_context);
      std::vector<LayerMaps> kept;
      for (int i = 0; i < 3; ++i) {
        build_layer_maps(in, out, geometry, needs, reusing_context);  // released at once
        kept.push_back(build_layer_maps(in, out, geometry, needs, reusing_context));
      }
      for (const LayerMaps& maps : kept) {
        EXPECT_GT(maps.pairs.n_pairs(), 100'000);
        ASSERT_EQ(download(maps.forward.rows), download(expected.forward.rows));
        for (const auto& [lists, same] :
             {std::pair(&maps.fprop, &expected.fprop), {&maps.dgrad, &expected.dgrad}}) {
          ASSERT_EQ(download(lists->order), download(same->order));
          ASSERT_EQ(download(lists->tile_index), download(same->tile_index));
          if (!needs.halos) continue;
          ASSERT_EQ(pairs_of(*lists), pairs_of(*same));  // slots are in any order
        }
        ASSERT_EQ(download(maps.pairs.fine_index), download(expected.pairs.fine_index));
        ASSERT_EQ(download(maps.pairs.coarse_index), download(expected.pairs.coarse_index));
      }
    }
    EXPECT_EQ(reusing.counts().live_bytes, 0);
  };
  const ConvGeometry strided{ConvKind::strided, {3, 3, 3}, {2, 2, 2}, {1, 1, 1}};
  expect_reuse_harms_none({}, everything(RowOrder::window));
  // Both orders are sorted beside the map.
  expect_reuse_harms_none(strided, everything(RowOrder::z));
  LayerNeeds halos = everything(RowOrder::z);
  halos.halos = true;
  halos.tile_index = false;
  halos.tile_rows = kHaloGroupRows;
  expect_reuse_harms_none({}, halos);
}

TEST_F(BuildMapsTest, HalfOfTheLookupsMakeTheSameParts) {
  for (const RowOrder order : {RowOrder::none, RowOrder::gray, RowOrder::z})
    for (const auto& shape : brute::shapes()) {
      if (shape.geometry.kind != ConvKind::subm) continue;
      SCOPED_TRACE(brute::text(shape));
      const DeviceCoords in = upload(shape.voxels);
      const MadeCoords out = build_made_coords(in, shape.geometry, context());
      const auto parts = [&](const HashOptions& hash) {
        return build_layer_maps(in, out, shape.geometry, everything(order), context(), hash);
      };
      const LayerMaps whole = parts({});
      for (const int key_bits : {0, 64}) {
        const LayerMaps half = parts({.key_bits = key_bits, .half = true});
        EXPECT_EQ(download(half.forward.rows), download(whole.forward.rows));
        EXPECT_EQ(download(half.fprop.order), download(whole.fprop.order));
        EXPECT_EQ(download(half.fprop.tile_index), download(whole.fprop.tile_index));
        EXPECT_EQ(half.pairs.offset_begin_host, whole.pairs.offset_begin_host);
        EXPECT_EQ(download(half.pairs.fine_index), download(whole.pairs.fine_index));
        EXPECT_EQ(download(half.pairs.coarse_index), download(whole.pairs.coarse_index));
      }
    }
}

TEST_F(BuildMapsTest, RefuseBadCoordsWhateverIsNeeded) {
  const auto refusal = [&](const VoxelSet& voxels, const ConvGeometry& geometry,
                           const HashOptions& hash = {}) {
    return error_of([&] {
      const DeviceCoords in = upload(voxels);
      const MadeCoords out = build_made_coords(in, geometry, context(), hash);
      build_layer_maps(in, out, geometry, everything(), context(), hash);
    });
  };
  const VoxelSet good = brute::random_voxels({2, {8, 8, 8}}, 300, 9);
  VoxelSet repeated = good, outside = good;
  repeated.coords[250] = repeated.coords[3];
  outside.coords[41].y = 8;
  ConvGeometry strided;
  strided.kind = ConvKind::strided;
  for (const ConvGeometry& geometry : {ConvGeometry(), strided}) {
    EXPECT_EQ(refusal(good, geometry), "");
    EXPECT_TRUE(contains(refusal(repeated, geometry), "first row 250 "));
    EXPECT_TRUE(contains(refusal(outside, geometry), "row 41 "));
    EXPECT_TRUE(contains(refusal(good, geometry, {.capacity = 16}), "all 16 slots"));
  }
  EXPECT_EQ(refusal(good, {}, {.half = true}), "");
  EXPECT_TRUE(contains(refusal(repeated, {}, {.half = true}), "first row 250 "));
  EXPECT_TRUE(contains(refusal(outside, {}, {.half = true}), "row 41 "));
  EXPECT_TRUE(contains(refusal(good, {}, {.capacity = 16, .half = true}), "all 16 slots"));
  EXPECT_TRUE(contains(refusal(good, strided, {.half = true}), "submanifold map alone"));
  ConvGeometry even;
  even.kernel_size = {2, 2, 2};
  EXPECT_TRUE(contains(refusal(good, even), "even axis"));
}

}  // namespace
}  // namespace spb::maps
