// SPDX-License-Identifier: Apache-2.0
// The static schedule of a persistent kernel: which block gets which work tiles, where taking them
// as blocks come free would leave some with much more than others.
#pragma once

#include <cstdint>

#include "gpu/qualifiers.h"
#include "maps/parts.h"

namespace spb::plans {

/// Where scheduled work tiles lie. A row tile of a segment goes to a group of blocks, each of
/// which takes one of its column tiles.
struct StaticScheduleView {
  const int32_t* begin = nullptr;  ///< [groups * column tiles + 1] first work tile of each block
  const int32_t* group = nullptr;  ///< [segments * tiles], by position in tile_order
  const int32_t* rank = nullptr;   ///< the same: the position's number among those of its group

  GPU_HOST_DEVICE int64_t place(int64_t position, int64_t column, int column_tiles) const {
    return begin[group[position] * column_tiles + column] + rank[position];
  }
};

struct StaticSchedule {
  gpu::Buffer<int32_t> begin, group, rank;
  int blocks = 0;  ///< 0: none was made

  StaticScheduleView view() const {
    if (blocks == 0) return {};
    return {begin.data(), group.data(), rank.data()};
  }
};

/// Gives the tiles of `lists` to up to `blocks` blocks, in the order of positions, each to that
/// which has the least work so far. Those of a segment go by falling length, so that blocks differ
/// by less than a short one. `tile_order`: [segments, lists.tiles]. None where the column tiles of
/// a row tile exceed the blocks, or groups or steps what one block keeps account of. Does not wait.
StaticSchedule build_static_schedule(const maps::TileLists& lists, const int32_t* tile_order,
                                     int column_tiles, int depth_steps, int blocks,
                                     maps::BuildContext context);

}  // namespace spb::plans
