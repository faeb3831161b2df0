// Which block of a persistent kernel gets which work tiles, where turns would leave some blocks
// with much more than others.
#pragma once

#include <cstdint>

#include "maps/maps.h"

namespace spb::plans {

/// Where work tiles lie that were dealt. A row tile of a segment goes to a group of blocks, each of
/// which takes one of its column tiles.
struct DealtHands {
  const int32_t* begin = nullptr;  ///< [groups * column tiles + 1] first work tile of each block
  const int32_t* group = nullptr;  ///< [segments * tiles], by turn
  const int32_t* rank = nullptr;   ///< the same: the turn's number among those of its group

  __host__ __device__ int64_t place(int64_t turn, int64_t column, int column_tiles) const {
    return begin[group[turn] * column_tiles + column] + rank[turn];
  }
};

struct RowHands {
  gpu::Buffer<int32_t> begin, group, rank;
  int blocks = 0;  ///< 0: not dealt

  DealtHands view() const {
    if (blocks == 0) return {};
    return {begin.data(), group.data(), rank.data()};
  }
};

/// Deals the tiles of `lists` to up to `blocks` blocks, turn by turn to those that have the least
/// work so far. Turns of a segment go by falling length, so that hands differ by less than a
/// short one. `tile_order`: [segments, lists.tiles]. Not dealt where the column tiles of a row tile
/// exceed the blocks, or groups or steps what a warp keeps account of. Does not wait.
RowHands deal_row_items(const maps::TileLists& lists, const gpu::Buffer<int32_t>& tile_order,
                        int column_tiles, int depth_steps, int blocks, maps::BuildContext context);

}  // namespace spb::plans
