// SPDX-License-Identifier: Apache-2.0
#include "kernels/wgrad/schedule.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <numeric>

#include "kernels/wgrad/expand.h"

namespace spb::plans {
namespace {

/// Pairs that a piece adds up, in its order.
std::vector<uint32_t> pairs_of(const WgradPiece& piece, int tile_k) {
  std::vector<uint32_t> pairs;
  PairWalk walk = PairWalk::over(piece);
  for (int step = 0; step < piece.steps; ++step, walk.next(uint32_t(tile_k)))
    for (uint32_t at = walk.at; at < std::min(walk.at + uint32_t(tile_k), walk.end); ++at)
      pairs.push_back(at);
  return pairs;
}

/// Of each block.
std::vector<int64_t> steps_of_blocks(const WgradWork& work, const WgradSchedule& schedule) {
  const WgradPieceList all = expand(schedule, work.tile_k);
  std::vector<int64_t> steps;
  for (size_t b = 0; b + 1 < all.block_pieces.size(); ++b) {
    steps.push_back(0);
    for (int p = all.block_pieces[b]; p < all.block_pieces[b + 1]; ++p)
      steps.back() += all.pieces[size_t(p)].steps;
  }
  return steps;
}

/// Among those of all groups of channels.
template <class Part>
int tile_of(const WgradWork& work, const Part& part) {
  const int of_group = work.tiles / work.groups;
  EXPECT_LT(part.tile, of_group);
  EXPECT_LT(part.group, work.groups);
  return part.group * of_group + part.tile;
}

/// Every pair of every unit once, every unit written once, every slice written and added up once.
void expect_complete(const WgradWork& work, const WgradSchedule& schedule) {
  std::map<std::pair<int, int>, std::vector<uint32_t>> units;
  std::vector<int> written(size_t(schedule.slices)), summed(size_t(schedule.slices));
  std::map<std::pair<int, int>, int> writers;
  const WgradPieceList all_pieces = expand(schedule, work.tile_k);
  EXPECT_EQ(all_pieces.pieces.size(), size_t(schedule.pieces));
  EXPECT_EQ(std::ranges::adjacent_find(all_pieces.block_pieces, std::greater_equal<>()),
            all_pieces.block_pieces.end())
      << "a block without pieces";
  for (const WgradPiece& piece : all_pieces.pieces) {
    const std::pair unit{int{piece.offset}, tile_of(work, piece)};
    const std::vector<uint32_t> pairs = pairs_of(piece, work.tile_k);
    units[unit].insert(units[unit].end(), pairs.begin(), pairs.end());
    if (piece.slice < 0)
      ++writers[unit];
    else
      ++written.at(size_t(piece.slice));
  }
  for (const WgradSum& sum : schedule.sums) {
    ++writers[{int{sum.offset}, tile_of(work, sum)}];
    EXPECT_GE(sum.slices, 2);
    for (int s = 0; s < sum.slices; ++s) ++summed.at(size_t(sum.first_slice + s));
  }
  for (size_t s = 0; s < written.size(); ++s) {
    EXPECT_EQ(written[s], 1);
    EXPECT_EQ(summed[s], 1);
  }
  EXPECT_EQ(units.size(), work.pairs.size() * size_t(work.tiles));
  for (auto& [unit, pairs] : units) {
    EXPECT_EQ(writers[unit], 1);
    std::sort(pairs.begin(), pairs.end());
    std::vector<uint32_t> all(size_t(work.pairs[size_t(unit.first)]));
    std::iota(all.begin(), all.end(), 0u);
    EXPECT_EQ(pairs, all) << "offset " << unit.first;
  }
}

const WgradWork kWorks[] = {
    {{0}, 1, 32},
    {{1}, 1, 32},
    {{0, 0, 0}, 4, 16},
    {{1000}, 1, 16},
    {{100, 0, 33, 5000, 31, 32}, 3, 32},
    {{20000, 60001, 20000}, 1, 32},
    {{90, 95, 192, 95, 90}, 32, 32},
    {{3000, 3001, 2999, 40000}, 2, 16},
    {{3000, 3001, 2999, 40000}, 6, 16, 3},
};

TEST(WgradSchedule, SplitUnitsAreComplete) {
  for (const WgradWork& work : kWorks)
    for (const int blocks : {1, 2, 7, 132, 1000, 1320}) {
      SCOPED_TRACE(std::to_string(work.pairs[0]) + ", " + std::to_string(blocks) + " blocks");
      const WgradSchedule schedule = split_units(work, blocks);
      EXPECT_LE(schedule.blocks, blocks);
      expect_complete(work, schedule);
    }
}

TEST(WgradSchedule, PiecesKnowWhereTheirListsBegin) {
  const std::vector<int64_t> begins{0, 20000, 80001};
  const WgradWork work{{20000, 60001, 20000}, 2, 32, 1, begins};
  for (const WgradSchedule& schedule : {split_units(work, 132), whole_units(work)})
    for (const WgradPiece& piece : expand(schedule, work.tile_k).pieces)
      EXPECT_EQ(piece.list_begin, begins[size_t(piece.offset)]);
}

TEST(WgradSchedule, WholeUnitsAreCompleteAndTheLongestComeFirst) {
  for (const WgradWork& work : kWorks) {
    const WgradSchedule schedule = whole_units(work);
    EXPECT_EQ(schedule.slices, 0);
    EXPECT_EQ(schedule.split(), 1);
    EXPECT_EQ(schedule.blocks, int(work.pairs.size()) * work.tiles);
    expect_complete(work, schedule);
    EXPECT_TRUE(std::ranges::is_sorted(steps_of_blocks(work, schedule), std::greater<>()));
  }
}

TEST(WgradSchedule, BlocksShareWorkEqually) {
  WgradWork work{std::vector<int64_t>(27, 450000), 1, 32};
  work.pairs[13] = 1000000;
  for (const int tiles : {1, 2, 8, 32}) {
    work.tiles = tiles;
    const WgradSchedule schedule = split_units(work, 132);
    ASSERT_EQ(schedule.blocks, 132);
    const std::vector<int64_t> steps = steps_of_blocks(work, schedule);
    const int64_t longest = std::ranges::max(steps);
    const int64_t total = std::accumulate(steps.begin(), steps.end(), int64_t{0});
    EXPECT_LT(double(longest), 1.025 * double(total) / 132) << tiles;
  }
}

// Groups of two offsets whose rows have one of them, both, or something between.
TEST(WgradSchedule, BlocksShareCostsEqually) {
  const std::vector<int64_t> entries{700000, 700000, 1000000, 500000, 0, 640000};
  const std::vector<int64_t> pairs{700000, 1400000, 1360000, 500000, 0, 900000};
  for (const int tiles : {1, 3, 32}) {
    WgradWork work{entries, tiles, 64};
    weigh_slots(work, 2, pairs);
    ASSERT_EQ(work.step_costs.size(), entries.size());
    EXPECT_EQ(work.step_costs[0] * 3, work.step_costs[1] * 2);  // gout and one, gout and two
    EXPECT_EQ(work.step_costs[3], work.step_costs[0]);
    const WgradSchedule schedule = split_units(work, 132);
    expect_complete(work, schedule);
    ASSERT_EQ(schedule.blocks, 132);
    const WgradPieceList all = expand(schedule, work.tile_k);
    std::vector<int64_t> costs(132);
    for (size_t b = 0; b < costs.size(); ++b)
      for (int p = all.block_pieces[b]; p < all.block_pieces[b + 1]; ++p)
        costs[b] +=
            all.pieces[size_t(p)].steps * work.step_costs[size_t(all.pieces[size_t(p)].offset)];
    const int64_t total = std::accumulate(costs.begin(), costs.end(), int64_t{0});
    EXPECT_LT(double(std::ranges::max(costs)), 1.04 * double(total) / 132) << tiles;
  }
}

// A room that is no multiple of a step's cost leaves no crumbs, which would be pieces of their own.
TEST(WgradSchedule, CostsLeaveNoCrumbs) {
  WgradWork work{{64 * 1000, 64 * 1001, 64 * 999}, 1, 64};
  weigh_slots(work, 4, std::vector<int64_t>{64 * 1700, 64 * 2300, 64 * 3100});
  const WgradSchedule schedule = split_units(work, 40);
  expect_complete(work, schedule);
  // Each block begins one unit at most beside the one that it ends.
  EXPECT_LE(schedule.pieces, 40 + 2);
}

// As many long units as fit into blocks beside short ones, none on top of all short ones.
TEST(WgradSchedule, WholeUnitsGoWhereMostRoomIs) {
  WgradWork work{std::vector<int64_t>(27, 6 * 64), 32, 64};
  work.pairs[13] = 13 * 64;
  const WgradSchedule schedule = split_units(work, 132);
  const int64_t longest = std::ranges::max(steps_of_blocks(work, schedule));
  EXPECT_LE(longest, 43);  // 41.0 on average; two long ones in a block, or eight units, are more
}

// Blocks that walk through the rows together find in cache what others have read.
TEST(WgradSchedule, PiecesOfAUnitTakeTurns) {
  const WgradWork work{{1000000, 1000000}, 1, 32};
  const WgradSchedule schedule = split_units(work, 40);
  EXPECT_EQ(schedule.split(), 20);
  for (const WgradPiece& piece : expand(schedule, work.tile_k).pieces) {
    const std::vector<uint32_t> pairs = pairs_of(piece, work.tile_k);
    for (size_t i = 0; i < pairs.size(); ++i)
      ASSERT_NEAR(double(pairs[i]) / 1e6, double(i) / double(pairs.size()), 0.04);
  }
}

TEST(WgradSchedule, SmallWorkIsNotCutUp) {
  EXPECT_EQ(split_units({{20, 30, 25}, 2, 32}, 264).slices, 0);
  EXPECT_LE(split_units({{32 * 100}, 1, 32}, 264).blocks, 8);
  EXPECT_GE(split_units({{32 * 100}, 1, 32}, 264).blocks, 6);
}

}  // namespace
}  // namespace spb::plans
