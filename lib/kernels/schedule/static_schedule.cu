// SPDX-License-Identifier: Apache-2.0
#include "kernels/schedule/static_schedule.h"

#include "gpu/atomic.cuh"
#include "gpu/launch.cuh"
#include "gpu/warp.cuh"

namespace spb::plans {
namespace {

/// A thread accounts for a group of blocks.
constexpr int kMostGroups = 512;
/// Bits that tell groups apart, below a group's steps so far: no two such keys are equal.
constexpr int kGroupBits = 10;
static_assert(kMostGroups <= 1 << kGroupBits);
constexpr uint32_t kNone = ~0u;
/// Of all positions, so that every key is less than kNone.
constexpr int64_t kMostSteps = int64_t{1} << (31 - kGroupBits);
static_assert((kMostSteps << kGroupBits) + kMostGroups < int64_t{kNone});
/// Of positions, whose steps are loaded at a time.
constexpr int kChunk = 2048;
/// What a work tile costs besides its steps, in steps: its sums are written, or added to others.
/// Assumed, not measured.
constexpr uint32_t kWorkTileSteps = 5;
static_assert(kWorkTileSteps > 0, "or a group that got a position could get the next one, too");

__device__ uint32_t steps_of(const int64_t* begin, const int32_t* order, int64_t tiles,
                             int64_t position, int depth_steps) {
  const int64_t listed = position / tiles * tiles + order[position];
  return static_cast<uint32_t>((begin[listed + 1] - begin[listed]) * depth_steps) + kWorkTileSteps;
}

/// `keys`: of 16 bytes' alignment, kNone behind the groups.
__device__ int32_t count_below(const uint32_t* keys, int groups, uint32_t key) {
  constexpr int kKeysOfLoad = 4;
  int32_t below = 0;
  for (int first = 0; first < groups; first += kKeysOfLoad) {
    GPU_UNROLL
    for (int i = 0; i < kKeysOfLoad; ++i) below += keys[first + i] < key;
  }
  return below;
}

/// What the threads of a round tell one another.
struct Round {
  uint32_t least;  // key that a group has after the round
  int32_t taken;   // positions
};

/// One block. Giving each position in turn to the group with the least work is work for one thread,
/// but many positions in a row go to groups that had nothing since: the k-th to that which came
/// k-th before, as long as none given to before is still less. A round gives those at once.
GPU_KERNEL void __launch_bounds__(kMostGroups)
    static_schedule_kernel(const int64_t* begin, const int32_t* order, int64_t tiles,
                           int64_t positions, int column_tiles, int depth_steps, int groups,
                           int32_t* group_of, int32_t* rank_of, int32_t* block_begin) {
  gpu::wait_for_earlier_kernels();
  alignas(16) __shared__ uint32_t keys[kMostGroups];
  __shared__ uint32_t steps[kChunk];
  __shared__ Round rounds[2];
  const auto group = static_cast<int32_t>(threadIdx.x);
  const bool exists = group < groups;
  uint32_t key = exists ? static_cast<uint32_t>(group) : kNone;
  int32_t count = 0;
  keys[group] = kNone;
  if (group == 0) rounds[0] = {kNone, 0};
  int turn = 0;
  for (int64_t first = 0; first < positions; first += kChunk) {
    const auto size = static_cast<int32_t>(positions - first < kChunk ? positions - first : kChunk);
    for (int32_t i = group; i < size; i += kMostGroups)
      steps[i] = steps_of(begin, order, tiles, first + i, depth_steps);
    for (int32_t given = 0; given < size;) {
      Round& round = rounds[turn];
      turn ^= 1;
      if (exists) keys[group] = key;
      gpu::sync_threads();
      if (group == 0) rounds[turn] = {kNone, 0};
      const int32_t in_chunk = given + (exists ? count_below(keys, groups, key) : 0);
      uint32_t after = kNone;
      if (exists && in_chunk < size) after = key + (steps[in_chunk] << kGroupBits);
      const uint32_t least = gpu::warp_min(after);
      if (gpu::lane() == 0) gpu::atomic_min(&round.least, least);
      gpu::sync_threads();
      const bool takes = after != kNone && key < round.least;
      if (takes) {
        group_of[first + in_chunk] = group;
        rank_of[first + in_chunk] = count++;
        key = after;
      }
      const int taking = gpu::popcount(gpu::ballot(takes));
      if (gpu::lane() == 0) gpu::atomic_add(&round.taken, taking);
      gpu::sync_threads();
      given += round.taken;
    }
  }
  // Blocks follow each other: of a group, one of its length for each column tile.
  keys[group] = static_cast<uint32_t>(count);
  gpu::sync_threads();
  if (!exists) return;
  int32_t group_begin = 0;
  for (int32_t other = 0; other < group; ++other)
    group_begin += static_cast<int32_t>(keys[other]) * column_tiles;
  for (int column = 0; column <= column_tiles; ++column)
    block_begin[group * column_tiles + column] = group_begin + column * count;
}

}  // namespace

StaticSchedule build_static_schedule(const maps::TileLists& lists, const int32_t* tile_order,
                                     int column_tiles, int depth_steps, int blocks,
                                     maps::BuildContext context) {
  const int64_t positions = lists.tiles * lists.segments;
  const int groups = blocks / column_tiles;
  StaticSchedule schedule;
  if (positions == 0 || groups == 0 || groups > kMostGroups ||
      lists.listed * depth_steps + positions * kWorkTileSteps > kMostSteps)
    return schedule;
  const auto buffer = [&](gpu::Buffer<int32_t>& to, int64_t size) {
    to = gpu::Buffer<int32_t>(context.allocator, size, gpu::Tag::plan);
  };
  schedule.blocks = groups * column_tiles;
  buffer(schedule.begin, schedule.blocks + 1);
  buffer(schedule.group, positions);
  buffer(schedule.rank, positions);
  gpu::launch_few_early(static_schedule_kernel, dim3(1), dim3(kMostGroups), 0, context.stream,
                        lists.valid_kernel_seg.data(), tile_order, lists.tiles, positions,
                        column_tiles, depth_steps, groups, schedule.group.data(),
                        schedule.rank.data(), schedule.begin.data());
  return schedule;
}

}  // namespace spb::plans
