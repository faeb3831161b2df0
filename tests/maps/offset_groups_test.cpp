// SPDX-License-Identifier: Apache-2.0
#include "maps/pairs/offset_groups.h"

#include <algorithm>
#include <bit>
#include <gtest/gtest.h>

#include "device_fixture.h"
#include "maps/download.h"
#include "maps/orders/gray.h"
#include "maps/pairs/chunk.h"
#include "maps/pairs/row_jumps.h"
#include "shapes.h"

namespace spb::maps {
namespace {

class Groups : public DeviceTest, public testing::WithParamInterface<int> {
 protected:
  void expect_groups(const char* geometry, const VoxelSet& voxels);
};

void Groups::expect_groups(const char* geometry, const VoxelSet& voxels) {
  SCOPED_TRACE(geometry);
  const int slots = GetParam();
  const ConvGeometry shape =
      parse_problem(std::string(geometry) + " c1:1 f32 wgrad", "test").geometry;
  const DeviceCoords coords = upload(voxels);
  const MadeCoords out = build_made_coords(coords, shape, context());
  const auto map = build_neighbor_map(coords, out, shape, context());
  const KernelMap lists = build_kernel_map(*map, context());
  const OffsetGroups groups = build_offset_groups(*map, slots, lists.offset_begin_host, context());

  Triples expected = download_pairs(*map, stream_);
  Triples pairs = download_pairs(groups, stream_);
  std::ranges::sort(expected);
  std::ranges::sort(pairs);
  EXPECT_EQ(pairs, expected);

  const std::vector<int32_t> rows = groups.out_index.download(stream_);
  const std::vector<int32_t> inputs = groups.in_index.download(stream_);
  const std::vector<uint8_t> step_slots = groups.step_slots.download(stream_);
  const auto slots_at = [&](int64_t entry) {
    uint32_t has = 0;
    for (int s = 0; s < slots; ++s)
      has |= uint32_t{inputs[static_cast<size_t>(s * groups.entries() + entry)] >= 0} << s;
    return has;
  };
  EXPECT_EQ(groups.begin.download(stream_), groups.begin_host);
  ASSERT_EQ(int(groups.begin_host.size()), (shape.kernel_volume() + slots - 1) / slots + 1);
  const RowJumps jumps(map->n_rows);
  for (size_t g = 0; g + 1 < groups.begin_host.size(); ++g) {
    SCOPED_TRACE("group " + std::to_string(g));
    std::vector<uint32_t> has(static_cast<size_t>(map->n_rows));
    for (const Triple& pair : expected)
      if (pair.offset / slots == int(g))
        has[static_cast<size_t>(pair.out)] |= uint32_t{1} << pair.offset % slots;
    std::vector<int32_t> members;
    for (int64_t position = 0; position < map->n_rows; ++position)
      if (const int64_t row = jumps.row(position); has[static_cast<size_t>(row)] != 0)
        members.push_back(static_cast<int32_t>(row));
    for (size_t chunk = 0; chunk < members.size(); chunk += kGroupChunk)
      std::ranges::stable_sort(
          members.begin() + int64_t(chunk),
          members.begin() + int64_t(std::min(chunk + kGroupChunk, members.size())), {},
          [&](int32_t row) { return gray_position(has[static_cast<size_t>(row)]); });
    const int64_t begin = groups.begin_host[g], end = groups.begin_host[g + 1];
    EXPECT_EQ(std::vector<int32_t>(rows.begin() + begin, rows.begin() + end), members);

    int64_t pairs_of_group = 0;
    for (int64_t entry = begin; entry < end; ++entry)
      pairs_of_group += std::popcount(slots_at(entry));
    EXPECT_EQ(groups.pairs[g], pairs_of_group);
    // Kernels of twice the depth read two bytes at a time.
    for (int64_t step = 0;
         step * kGroupStep < tiles_of(end - begin, 2 * kGroupStep) * 2 * kGroupStep; ++step) {
      uint32_t any = 0;
      for (int64_t entry = begin + step * kGroupStep;
           entry < std::min(begin + (step + 1) * kGroupStep, end); ++entry)
        any |= slots_at(entry);
      EXPECT_EQ(step_slots[static_cast<size_t>(group_step(begin, int64_t(g)) + step)], any)
          << "step " << step;
    }
  }
}

TEST_P(Groups, HoldEachPairOnceAndTheirRowsBySlots) {
  const VoxelSet voxels = brute::random_voxels({2, {8, 8, 8}}, 300, 5);
  for (const char* geometry : {"subm k3x3x3 s1x1x1 d1x1x1", "strided k2x2x2 s2x2x2 d1x1x1",
                               "subm k5x5x5 s1x1x1 d1x1x1", "subm k1x1x1 s1x1x1 d1x1x1"})
    expect_groups(geometry, voxels);
}

TEST_P(Groups, TakeTheWindowsOfManyRowsInJumps) {
  expect_groups("subm k3x3x3 s1x1x1 d1x1x1",
                brute::random_voxels({1, {30, 30, 30}}, 3 * RowJumps::kWindow + 100, 5));
}

// What the sort is for: a step of 64 has few slots for rows that have not its own.
TEST_P(Groups, HaveFewSlotsBesideTheirPairsOnAShell) {
  const int slots = GetParam();
  const DeviceCoords coords = upload(brute::sphere(128));
  const ConvGeometry shape =
      parse_problem("subm k3x3x3 s1x1x1 d1x1x1 c1:1 f32 wgrad", "t").geometry;
  const auto map =
      build_neighbor_map(coords, build_made_coords(coords, shape, context()), shape, context());
  const KernelMap lists = build_kernel_map(*map, context());
  const OffsetGroups groups = build_offset_groups(*map, slots, lists.offset_begin_host, context());
  const std::vector<uint8_t> bytes = groups.step_slots.download(stream_);
  int64_t multiplied = 0;
  for (size_t g = 0; g + 1 < groups.begin_host.size(); ++g) {
    const int64_t begin = groups.begin_host[g], entries = groups.begin_host[g + 1] - begin;
    for (int64_t step = 0; step < entries; step += 2 * kGroupStep) {
      const auto at = static_cast<size_t>(group_step(begin, int64_t(g)) + step / kGroupStep);
      multiplied += std::popcount(uint32_t{bytes[at]} | bytes[at + 1]) *
                    std::min<int64_t>(2 * kGroupStep, entries - step);
    }
  }
  const double share = double(multiplied) / double(lists.n_pairs());
  RecordProperty("slots_of_a_pair", std::to_string(share));
  EXPECT_GE(share, 1);
  EXPECT_LT(share, 1.1);
  // All slots of all entries are 1.4 to 1.9 times the pairs.
  EXPECT_TRUE(slots == 1 || double(groups.entries() * slots) > 1.4 * double(lists.n_pairs()));
}

TEST(OffsetGroups, AreSparseBelowTheShareOfAThirdsChance) {
  // Two offsets, each there with a chance of a third: 5 of 9 rows have either.
  EXPECT_TRUE(are_sparse(14 * 900 * 5 / 9 - 1, 2, 27, 900));
  EXPECT_FALSE(are_sparse(14 * 900 * 5 / 9 + 1, 2, 27, 900));
}

INSTANTIATE_TEST_SUITE_P(Slots, Groups, testing::Values(1, 2, 3, 4));

}  // namespace
}  // namespace spb::maps
