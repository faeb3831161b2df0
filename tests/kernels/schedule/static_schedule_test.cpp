// SPDX-License-Identifier: Apache-2.0
#include "kernels/schedule/static_schedule.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

#include "kernels/schedule/work_tile.h"

namespace spb::plans {
namespace {

class RowHandsTest : public ::testing::Test {
 protected:
  /// Two segments of tiles that list up to 13 offsets, and their turns by falling length.
  void make_lists(int tiles) {
    std::mt19937 random(5);
    std::vector<int64_t> begin{0};
    std::vector<int32_t> order;
    for (int segment = 0; segment < 2; ++segment) {
      std::vector<int> length;
      for (int t = 0; t < tiles; ++t) {
        length.push_back(static_cast<int>(random() % 14));
        begin.push_back(begin.back() + length.back());
      }
      std::vector<int32_t> turns(static_cast<size_t>(tiles));
      std::iota(turns.begin(), turns.end(), 0);
      std::stable_sort(turns.begin(), turns.end(), [&](int32_t a, int32_t b) {
        return length[static_cast<size_t>(a)] > length[static_cast<size_t>(b)];
      });
      order.insert(order.end(), turns.begin(), turns.end());
    }
    lists_.segments = 2;
    lists_.tiles = tiles;
    lists_.listed = begin.back();
    lists_.valid_kernel_seg =
        gpu::Buffer<int64_t>(allocator_, static_cast<int64_t>(begin.size()), gpu::Tag::plan);
    lists_.valid_kernel_seg.upload(begin, stream_);
    order_ = gpu::Buffer<int32_t>(allocator_, static_cast<int64_t>(order.size()), gpu::Tag::plan);
    order_.upload(order, stream_);
  }

  StaticSchedule deal(int column_tiles, int depth_steps, int blocks) {
    return build_static_schedule(lists_, order_.data(), column_tiles, depth_steps, blocks,
                                 {allocator_, stream_});
  }

  /// By its definition: one position after the other.
  void expect_dealt_one_by_one(const StaticSchedule& schedule, int depth_steps, int groups) {
    ASSERT_EQ(schedule.blocks, groups);
    const std::vector<int64_t> begin = lists_.valid_kernel_seg.download(stream_);
    const std::vector<int32_t> order = order_.download(stream_);
    const std::vector<int32_t> group_of = schedule.group.download(stream_);
    const std::vector<int32_t> rank_of = schedule.rank.download(stream_);
    const auto tiles = static_cast<size_t>(lists_.tiles);
    std::vector<int64_t> work(static_cast<size_t>(groups), 0);
    std::vector<int32_t> count(static_cast<size_t>(groups), 0);
    for (size_t p = 0; p < order.size(); ++p) {
      const size_t listed = p / tiles * tiles + static_cast<size_t>(order[p]);
      const auto least = static_cast<size_t>(std::ranges::min_element(work) - work.begin());
      ASSERT_EQ(group_of[p], static_cast<int32_t>(least)) << "position " << p << " of " << tiles;
      ASSERT_EQ(rank_of[p], count[least]++);
      work[least] += (begin[listed + 1] - begin[listed]) * depth_steps + 5;
    }
  }

  gpu::Stream stream_;
  gpu::Allocator allocator_;
  maps::TileLists lists_;
  gpu::Buffer<int32_t> order_;
};

TEST_F(RowHandsTest, HoldEveryItemOnceInTheOrderOfTurns) {
  make_lists(150);
  constexpr int kColumns = 3, kDepth = 4;
  const StaticSchedule schedule = deal(kColumns, kDepth, 100);
  EXPECT_EQ(schedule.blocks, 99);  // 33 groups of three
  const WorkTileShape shape{.column_tiles = kColumns, .depth_steps = kDepth, .split = 1};
  gpu::Buffer<WorkTile> dealt(allocator_, work_tiles_of(lists_, shape), gpu::Tag::plan);
  gpu::Buffer<WorkTile> in_turns(allocator_, work_tiles_of(lists_, shape), gpu::Tag::plan);
  write_work_tiles(lists_, order_.data(), shape, schedule, nullptr, dealt.data(), stream_);
  write_work_tiles(lists_, order_.data(), shape, {}, nullptr, in_turns.data(), stream_);

  const auto key = [](const WorkTile& item) {
    return std::tuple(item.entry, item.packed_steps, item.tile, item.packed_column);
  };
  std::vector<WorkTile> all = in_turns.download(stream_), held = dealt.download(stream_);
  std::vector<size_t> turn_of;  // of each dealt item
  for (const WorkTile& item : held)
    turn_of.push_back(static_cast<size_t>(
        std::ranges::find_if(all, [&](const WorkTile& a) { return key(a) == key(item); }) -
        all.begin()));
  const std::vector<int32_t> begin = schedule.begin.download(stream_);
  ASSERT_EQ(begin.size(), 100u);
  EXPECT_EQ(begin.front(), 0);
  EXPECT_EQ(begin.back(), static_cast<int32_t>(held.size()));
  for (size_t b = 0; b + 1 < begin.size(); ++b) {
    ASSERT_LE(begin[b], begin[b + 1]);
    const auto from = turn_of.begin() + begin[b], to = turn_of.begin() + begin[b + 1];
    EXPECT_TRUE(std::is_sorted(from, to)) << "block " << b;
    for (auto i = begin[b]; i < begin[b + 1]; ++i)
      EXPECT_EQ(held[static_cast<size_t>(i)].column_tile(), static_cast<int>(b) % kColumns);
  }
  std::ranges::sort(turn_of);
  for (size_t i = 0; i < turn_of.size(); ++i) ASSERT_EQ(turn_of[i], i);
}

TEST_F(RowHandsTest, DifferByLessThanALongItem) {
  make_lists(400);
  constexpr int kDepth = 8;
  const StaticSchedule schedule = deal(2, kDepth, 40);
  gpu::Buffer<WorkTile> items(allocator_, 400 * 2 * 2, gpu::Tag::plan);
  const WorkTileShape shape{.column_tiles = 2, .depth_steps = kDepth, .split = 1};
  write_work_tiles(lists_, order_.data(), shape, schedule, nullptr, items.data(), stream_);
  const std::vector<WorkTile> held = items.download(stream_);
  const std::vector<int32_t> begin = schedule.begin.download(stream_);
  std::vector<int> steps;
  for (size_t b = 0; b + 1 < begin.size(); ++b) {
    steps.push_back(0);
    for (auto i = begin[b]; i < begin[b + 1]; ++i)
      steps.back() += held[static_cast<size_t>(i)].steps();
  }
  ASSERT_EQ(steps.size(), 40u);
  const auto [least, most] = std::ranges::minmax(steps);
  EXPECT_GT(least, 0);
  EXPECT_LT(most - least, 13 * kDepth);
}

TEST_F(RowHandsTest, AreThoseOfDealingOneByOne) {
  for (const auto& [tiles, depth_steps, groups] :
       {std::tuple(1, 1, 1), std::tuple(7, 3, 20), std::tuple(150, 2, 33), std::tuple(400, 1, 264),
        std::tuple(1500, 1, 500), std::tuple(1100, 16, 512)}) {
    make_lists(tiles);
    expect_dealt_one_by_one(deal(1, depth_steps, groups), depth_steps, groups);
  }
}

// Up to 2^21 steps, of which each position has five besides its offsets'.
TEST_F(RowHandsTest, HoldSoManySteps) {
  constexpr int kGroups = 3;
  make_lists(50);
  const auto most = static_cast<int>(((1 << 21) - 2 * 50 * 5) / lists_.listed);
  expect_dealt_one_by_one(deal(1, most, kGroups), most, kGroups);
  EXPECT_EQ(deal(1, most + 1, kGroups).blocks, 0);
}

TEST_F(RowHandsTest, AreNotDealtToFewerBlocksThanColumnTiles) {
  make_lists(10);
  EXPECT_EQ(deal(8, 1, 7).blocks, 0);
  EXPECT_EQ(deal(8, 1, 8).blocks, 8);
  EXPECT_EQ(deal(1, 1, 513).blocks, 0);  // more groups than a block has threads
}

}  // namespace
}  // namespace spb::plans
