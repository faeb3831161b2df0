// SPDX-License-Identifier: Apache-2.0
// Orders, tile lists and tile index against brute force: one mask word and several, one segment and
// several.
#include <numeric>

#include "device_fixture.h"
#include "maps/orders/gray.h"
#include "shapes.h"

namespace spb::maps {
namespace {

/// What build_layer_maps must make of a map, by brute force.
class ExpectedLists {
 public:
  ExpectedLists(const brute::Shape& shape, bool by_input, const LayerNeeds& needs) : needs_(needs) {
    const ConvGeometry& geometry = shape.geometry;
    kernel_ = geometry.kernel_size;
    volume_ = geometry.kernel_volume();
    const auto out = brute::output_coords(shape.voxels, geometry);
    map_ = brute::neighbor_map(shape.voxels, out, geometry);
    if (by_input) {
      std::vector<int32_t> reverse(shape.voxels.coords.size() * size_t(volume_), -1);
      for (size_t i = 0; i < map_.size(); ++i)
        if (map_[i] >= 0)
          reverse[size_t(map_[i]) * size_t(volume_) + i % size_t(volume_)] =
              static_cast<int32_t>(i / size_t(volume_));
      map_ = reverse;
    }
    masks_ = brute::masks(map_, volume_);
    for (int s = 0; s < needs.segments; ++s) append_segment(s);
  }

  std::vector<int32_t> order, valid_kernel, tile_index;
  std::vector<int64_t> seg{0};

 private:
  void append_segment(int segment) {
    const int first = segment_begin(segment, needs_.segments, volume_);
    const int end = segment_begin(segment + 1, needs_.segments, volume_);
    std::vector<int32_t> rows(masks_.size());
    std::iota(rows.begin(), rows.end(), 0);
    const auto key = [&](int32_t row) {
      return std::pair(
          needs_.order == RowOrder::window ? row / needs_.window : 0,
          brute::rank(masks_[size_t(row)], needs_.order != RowOrder::plain, kernel_, first, end));
    };
    if (needs_.order != RowOrder::none) {
      std::vector<decltype(key(0))> keys;
      for (const int32_t row : rows) keys.push_back(key(row));
      std::stable_sort(rows.begin(), rows.end(),
                       [&](int32_t a, int32_t b) { return keys[size_t(a)] < keys[size_t(b)]; });
      order.insert(order.end(), rows.begin(), rows.end());
    }
    const auto height = static_cast<size_t>(needs_.tile_rows);
    for (size_t begin = 0; begin < rows.size(); begin += height) {
      for (int o = first; o < end; ++o) {
        std::vector<int32_t> entries(height, -1);
        bool any = false;
        for (size_t i = begin; i < std::min(rows.size(), begin + height); ++i) {
          entries[i - begin] = map_[size_t(rows[i]) * size_t(volume_) + size_t(o)];
          any |= entries[i - begin] >= 0;
        }
        if (!any) continue;
        valid_kernel.push_back(o);
        tile_index.insert(tile_index.end(), entries.begin(), entries.end());
      }
      seg.push_back(static_cast<int64_t>(valid_kernel.size()));
    }
  }

  LayerNeeds needs_;
  Int3 kernel_;
  int volume_;
  std::vector<int32_t> map_;
  std::vector<std::vector<bool>> masks_;
};

class TilesTest : public DeviceTest {
 protected:
  void expect_lists(const TileLists& lists, const ExpectedLists& expected, const LayerNeeds& needs,
                    int64_t rows) {
    ASSERT_EQ(download(lists.order), expected.order);
    ASSERT_EQ(download(lists.valid_kernel), expected.valid_kernel);
    ASSERT_EQ(download(lists.valid_kernel_seg), expected.seg);
    ASSERT_EQ(download(lists.tile_index),
              needs.tile_index ? expected.tile_index : std::vector<int32_t>());
    EXPECT_EQ(lists.tiles * lists.segments + 1, static_cast<int64_t>(expected.seg.size()));
    EXPECT_EQ(lists.listed, expected.seg.back());
    EXPECT_EQ(lists.n_rows, rows);
    EXPECT_EQ(lists.tile_rows, needs.tile_rows);
    EXPECT_EQ(lists.segments, needs.segments);
  }
  void expect_lists_of_all_shapes(LayerNeeds needs) {
    needs.fprop_lists = needs.dgrad_lists = true;
    for (const auto& shape : brute::shapes()) {
      SCOPED_TRACE(brute::text(shape) + ", " + name(needs.order) + ", tiles of " +
                   std::to_string(needs.tile_rows) + ", " + std::to_string(needs.segments) +
                   " segments");
      const DeviceCoords in = upload(shape.voxels);
      const LayerMaps maps = build(in, shape.geometry, needs);
      expect_lists(maps.fprop, ExpectedLists(shape, false, needs), needs, maps.fprop.n_rows);
      if (shape.geometry.kind == ConvKind::subm)
        EXPECT_EQ(maps.dgrad.tiles, 0);
      else
        expect_lists(maps.dgrad, ExpectedLists(shape, true, needs), needs, in.size());
    }
  }
};

TEST(Gray, PositionsFollowTheReflectedSequence) {
  for (uint32_t i = 0; i < 100000; i += 7) EXPECT_EQ(gray_position(i ^ i >> 1), i);
  EXPECT_EQ(gray_position(0x80000000u), ~0u);
}

TEST(PackedBits, HoldEveryOffsetOnceTheFarthestOnTop) {
  const PackedBits bits = nearest_first({3, 3, 3}, 13, 0, 27);
  EXPECT_EQ(bits.count, 26);
  uint32_t all = 0;
  for (int o = 0; o < 27; ++o) all |= bits.pack(uint32_t{1} << o);
  EXPECT_EQ(all, (uint32_t{1} << 26) - 1);
  EXPECT_EQ(bits.pack(uint32_t{1} << 13), 0u);
  EXPECT_EQ(bits.pack(uint32_t{1} << 26), uint32_t{1} << 25);  // a corner
  EXPECT_EQ(bits.pack(uint32_t{1} << 0), uint32_t{1} << 18);
  EXPECT_EQ(bits.pack(uint32_t{1} << 1), uint32_t{1} << 6);  // an edge
  EXPECT_EQ(bits.pack(uint32_t{1} << 4), uint32_t{1} << 0);  // a face
  EXPECT_EQ(nearest_first({}, -1, 0, 32).pack(0x80000001u), 0x80000001u);
  EXPECT_EQ(nearest_first({}, -1, 31, 32).pack(0x80000001u), 1u);
}

TEST_F(TilesTest, GrayOrder) { expect_lists_of_all_shapes({.order = RowOrder::gray}); }
TEST_F(TilesTest, PlainOrder) {
  expect_lists_of_all_shapes({.tile_rows = 1, .order = RowOrder::plain});
}
TEST_F(TilesTest, NoOrder) {
  expect_lists_of_all_shapes({.tile_rows = 7, .order = RowOrder::none});
}
TEST_F(TilesTest, Windows) {
  for (const int64_t window : {1, 50, 1 << 20})
    expect_lists_of_all_shapes({.tile_rows = 64, .order = RowOrder::window, .window = window});
}
TEST_F(TilesTest, ListsAlone) {
  expect_lists_of_all_shapes({.tile_rows = 32, .tile_index = false, .order = RowOrder::gray});
}
TEST_F(TilesTest, Segments) {
  for (const int segments : {2, 3, 5, kMostSegments})
    expect_lists_of_all_shapes({.segments = segments, .order = RowOrder::gray});
  expect_lists_of_all_shapes(
      {.tile_rows = 16, .segments = 3, .order = RowOrder::window, .window = 100});
  expect_lists_of_all_shapes({.tile_rows = 16, .segments = 2, .order = RowOrder::none});
}
// So many offsets that a block stages fewer rows than a tile has, and tiles higher than any block.
TEST_F(TilesTest, HighTiles) {
  expect_lists_of_all_shapes({.tile_rows = 256, .order = RowOrder::plain});
}

TEST_F(TilesTest, NonsenseIsRefused) {
  const DeviceCoords in = upload(brute::shapes()[3].voxels);
  const auto refused = [&](const LayerNeeds& needs) {
    return error_of([&] { build(in, {}, needs); }) != "";
  };
  EXPECT_FALSE(refused({.fprop_lists = true}));
  EXPECT_TRUE(refused({.fprop_lists = true, .tile_rows = 0}));
  EXPECT_TRUE(refused({.fprop_lists = true, .order = RowOrder::window, .window = 0}));
  EXPECT_TRUE(refused({.fprop_lists = true, .order = RowOrder::greedy, .window = 0}));
  EXPECT_TRUE(refused({.fprop_lists = true, .segments = 0}));
  EXPECT_TRUE(refused({.fprop_lists = true, .segments = kMostSegments + 1}));
  EXPECT_TRUE(
      refused({.fprop_lists = true, .segments = kMostSegments + 1, .order = RowOrder::none}));
}

}  // namespace
}  // namespace spb::maps
