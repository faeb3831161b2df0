// SPDX-License-Identifier: Apache-2.0
#include "kernels/schedule/static_schedule.h"

#include <algorithm>

#include "gpu/launch.cuh"

namespace spb::plans {
namespace {

/// Groups of a lane of the scheduling warp, and bits that tell groups apart.
constexpr int kGroupsPerLane = 10, kGroupBits = 10;
/// What a work tile costs besides its steps, in steps: its sums are written, or added to others.
/// Assumed, not measured.
constexpr uint32_t kWorkTileSteps = 5;

/// One block, of which one warp works. Lane l accounts for the groups l, l + warp_size(), ...
GPU_KERNEL void static_schedule_kernel(const int64_t* begin, const int32_t* order, int64_t tiles,
                                       int64_t positions, int column_tiles, int depth_steps,
                                       int groups, int32_t* group_of, int32_t* rank_of,
                                       int32_t* block_begin) {
  gpu::wait_for_earlier_kernels();
  if (gpu::warp_index() > 0) return;
  const int lane = gpu::lane(), lanes = gpu::warp_size();
  const auto least = [](uint32_t a, uint32_t b) { return a < b ? a : b; };
  uint32_t work[kGroupsPerLane];  // in steps, then the group
  int32_t count[kGroupsPerLane];
  for (int i = 0; i < kGroupsPerLane; ++i) {
    const int group = lane + i * lanes;
    work[i] = group < groups ? static_cast<uint32_t>(group) : ~0u;
    count[i] = 0;
  }
  for (int64_t first = 0; first < positions; first += lanes) {
    uint32_t own = 0;
    if (first + lane < positions) {
      const int64_t position = first + lane, segment = position / tiles;
      const int64_t listed = segment * tiles + order[position];
      own =
          static_cast<uint32_t>((begin[listed + 1] - begin[listed]) * depth_steps) + kWorkTileSteps;
    }
    for (int k = 0; k < lanes && first + k < positions; ++k) {
      uint32_t mine = work[0];
      for (int i = 1; i < kGroupsPerLane; ++i) mine = least(mine, work[i]);
      const uint32_t lowest = gpu::warp_min(mine);
      const uint32_t steps = gpu::shuffle(own, k);
      for (int i = 0; i < kGroupsPerLane; ++i) {
        if (work[i] != lowest) continue;
        work[i] += steps << kGroupBits;
        group_of[first + k] = lane + i * lanes;
        rank_of[first + k] = count[i]++;
      }
    }
  }
  // Blocks follow each other: of a group, one of its length for each column tile.
  int32_t before = 0;
  for (int i = 0; i < kGroupsPerLane; ++i) {
    int32_t through = count[i];
    for (int distance = 1; distance < lanes; distance *= 2) {
      const int32_t lower = gpu::shuffle(through, lane >= distance ? lane - distance : lane);
      if (lane >= distance) through += lower;
    }
    const int group = lane + i * lanes;
    const int32_t group_begin = (before + through - count[i]) * column_tiles;
    if (group < groups)
      for (int column = 0; column <= column_tiles; ++column)
        block_begin[group * column_tiles + column] = group_begin + column * count[i];
    before += gpu::shuffle(through, lanes - 1);
  }
}

}  // namespace

StaticSchedule build_static_schedule(const maps::TileLists& lists, const int32_t* tile_order,
                                     int column_tiles, int depth_steps, int blocks,
                                     maps::BuildContext context) {
  const int64_t positions = lists.tiles * lists.segments;
  const int groups = blocks / column_tiles;
  StaticSchedule schedule;
  constexpr int kFewestLanes = 32, kMostLanes = 64;
  constexpr int64_t kMostSteps = 1 << (31 - kGroupBits);
  if (positions == 0 || groups == 0 || groups > kGroupsPerLane * kFewestLanes ||
      lists.listed * depth_steps + positions * kWorkTileSteps > kMostSteps)
    return schedule;
  const auto buffer = [&](gpu::Buffer<int32_t>& to, int64_t size) {
    to = gpu::Buffer<int32_t>(context.allocator, size, gpu::Tag::plan);
  };
  schedule.blocks = groups * column_tiles;
  buffer(schedule.begin, schedule.blocks + 1);
  buffer(schedule.group, positions);
  buffer(schedule.rank, positions);
  gpu::launch_few_early(static_schedule_kernel, dim3(1), dim3(kMostLanes), 0, context.stream,
                        lists.valid_kernel_seg.data(), tile_order, lists.tiles, positions,
                        column_tiles, depth_steps, groups, schedule.group.data(),
                        schedule.rank.data(), schedule.begin.data());
  return schedule;
}

}  // namespace spb::plans
