// SPDX-License-Identifier: Apache-2.0
#include "kernels/schedule/work_tile.h"

#include <gtest/gtest.h>
#include <set>
#include <tuple>
#include <vector>

namespace spb::plans {
namespace {

class RowItems : public ::testing::Test {
 protected:
  /// Tiles with these numbers of listed offsets.
  maps::TileLists lists_of(const std::vector<int64_t>& lengths, int segments) {
    maps::TileLists lists;
    lists.segments = segments;
    lists.tiles = static_cast<int64_t>(lengths.size()) / segments;
    std::vector<int64_t> begin{0};
    for (const int64_t length : lengths) begin.push_back(begin.back() + length);
    lists.listed = begin.back();
    lists.valid_kernel_seg =
        gpu::Buffer<int64_t>(allocator_, static_cast<int64_t>(begin.size()), gpu::Tag::plan);
    lists.valid_kernel_seg.upload(begin, stream_);
    return lists;
  }

  std::vector<WorkTile> items_of(const std::vector<int64_t>& lengths, const WorkTileShape& shape,
                                 const std::vector<int32_t>& order = {}, int segments = 1) {
    const maps::TileLists lists = lists_of(lengths, segments);
    gpu::Buffer<int32_t> tile_order(allocator_, static_cast<int64_t>(order.size()), gpu::Tag::plan);
    tile_order.upload(order, stream_);
    gpu::Buffer<WorkTile> work_tiles(allocator_, work_tiles_of(lists, shape), gpu::Tag::plan);
    gpu::Buffer<uint32_t> counters(allocator_, kWorkTileCounters, gpu::Tag::plan);
    gpu::fill_bytes(counters.data(), 0xFF, counters.bytes(), stream_);
    write_work_tiles(lists, order.empty() ? nullptr : tile_order.data(), shape, {}, counters.data(),
                     work_tiles.data(), stream_);
    EXPECT_EQ(counters.download(stream_), std::vector<uint32_t>(kWorkTileCounters));
    return work_tiles.download(stream_);
  }

  gpu::Stream stream_;
  gpu::Allocator allocator_;
};

TEST_F(RowItems, CoverEveryStepOfEveryColumnTileOnce) {
  const std::vector<int64_t> lengths{3, 0, 27, 1, 5};
  const WorkTileShape shape{.column_tiles = 2, .depth_steps = 3, .split = 4};
  std::vector<int64_t> begin{0};
  for (const int64_t length : lengths) begin.push_back(begin.back() + length);

  std::set<std::tuple<uint32_t, int, int64_t>> steps;  // tile, column tile, step of the tile
  std::set<std::tuple<uint32_t, int, int>> slices;
  for (const WorkTile& work_tile : items_of(lengths, shape)) {
    ASSERT_LT(work_tile.tile, lengths.size());
    EXPECT_TRUE(slices.emplace(work_tile.tile, work_tile.column_tile(), work_tile.slice()).second);
    const int64_t first = (int64_t{work_tile.entry} - begin[work_tile.tile]) * shape.depth_steps +
                          work_tile.first_depth_step();
    for (int i = 0; i < work_tile.steps(); ++i)
      EXPECT_TRUE(steps.emplace(work_tile.tile, work_tile.column_tile(), first + i).second);
    EXPECT_LE(first + work_tile.steps(), lengths[work_tile.tile] * shape.depth_steps);
  }
  EXPECT_EQ(slices.size(), lengths.size() * 2 * 4);  // an empty slice is written, too
  EXPECT_EQ(static_cast<int64_t>(steps.size()), begin.back() * shape.depth_steps * 2);
}

TEST_F(RowItems, KeepTheColumnTilesOfARowTileTogether) {
  const auto work_tiles = items_of({2, 9}, {.column_tiles = 3, .depth_steps = 1, .split = 1});
  ASSERT_EQ(work_tiles.size(), 6u);
  for (size_t i = 0; i < work_tiles.size(); ++i) {
    EXPECT_EQ(work_tiles[i].tile, i / 3);
    EXPECT_EQ(work_tiles[i].column_tile(), static_cast<int>(i % 3));
  }
}

TEST_F(RowItems, TakeTheTilesInTheirOrder) {
  const auto work_tiles = items_of({3, 27, 0}, {}, {1, 0, 2});
  ASSERT_EQ(work_tiles.size(), 3u);
  EXPECT_EQ(work_tiles[0].tile, 1u);
  EXPECT_EQ(work_tiles[0].entry, 3u);
  EXPECT_EQ(work_tiles[0].steps(), 27);
  EXPECT_EQ(work_tiles[1].tile, 0u);
  EXPECT_EQ(work_tiles[2].steps(), 0);
}

TEST_F(RowItems, NumberTilesInTheirSegmentAndSegmentsAsSlices) {
  const auto work_tiles = items_of({3, 5, 0, 7}, {.column_tiles = 2}, {1, 0, 0, 1}, 2);
  ASSERT_EQ(work_tiles.size(), 8u);
  const uint32_t tiles[] = {1, 0, 0, 1}, entries[] = {3, 0, 8, 8};
  const int steps[] = {5, 3, 0, 7};
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(work_tiles[i].tile, tiles[i / 2]);
    EXPECT_EQ(work_tiles[i].entry, entries[i / 2]);
    EXPECT_EQ(work_tiles[i].steps(), steps[i / 2]);
    EXPECT_EQ(work_tiles[i].slice(), static_cast<int>(i / 4));
    EXPECT_EQ(work_tiles[i].column_tile(), static_cast<int>(i % 2));
  }
}

TEST_F(RowItems, RefuseWhatTheirFieldsCannotHold) {
  const WorkTileShape shape{.column_tiles = 8, .depth_steps = 64, .split = 64};
  EXPECT_TRUE(work_tiles_fit(1 << 20, 343, shape));
  EXPECT_FALSE(work_tiles_fit(1 << 24, 343, {}));  // 5.8e9 listed offsets
  EXPECT_FALSE(work_tiles_fit(1 << 23, 27, shape));
  EXPECT_FALSE(work_tiles_fit(2, 343, {.column_tiles = 8, .depth_steps = 4097, .split = 1}));
  EXPECT_FALSE(work_tiles_fit(2, 343, {.column_tiles = 1 << 16, .depth_steps = 1, .split = 1}));
}

}  // namespace
}  // namespace spb::plans
