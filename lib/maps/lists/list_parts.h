// SPDX-License-Identifier: Apache-2.0
// The first half of building lists: count. Once the lengths are known, fill_parts.h fills them.
// What lies between is one exclusive scan over all counts and one reading back, which lists can
// share.
#pragma once

#include "maps/parts.h"

namespace spb::maps {

inline constexpr int64_t kColumnRows = 64;  // bits of a column's word

/// For each offset, which rows have it: 64 rows to a word.
struct PairColumns {
  gpu::Buffer<uint64_t> words;  ///< [kernel_volume, chunks] bit r = row 64 * chunk + r
  int64_t chunks = 0;
  int64_t counts() const { return words.size() + 1; }
};
PairColumns empty_columns(const RowMasks& masks, BuildContext context);

/// Where a kernel that knows the masks writes columns.
struct ColumnCounts {
  uint64_t* words = nullptr;  // as PairColumns has them; null for none
  int64_t* counts = nullptr;  // as count_pairs() has them
  int64_t chunks = 0;
};

/// counts[o * chunks + chunk] = pairs, and a last 0.
void count_pairs(const RowMasks& masks, const ColumnCounts& columns, BuildContext context);

/// Lists without lengths: the order, the number of tiles.
TileLists empty_lists(const RowMasks& masks, gpu::Buffer<int32_t> order, int tile_rows,
                      int segments);

/// counts[tile] = offsets of the tile, of all segments one after the other, and a last 0. Returns
/// [segments * tiles, words_per_row] masks.
gpu::Buffer<uint32_t> count_listed(const RowMasks& masks, const TileLists& lists, int64_t* counts,
                                   BuildContext context);

/// TileLists::longest_first. `begin` = scanned counts. Does not wait.
gpu::Buffer<int32_t> sort_by_length(const TileLists& lists, const int64_t* begin, int kernel_volume,
                                    BuildContext context);

}  // namespace spb::maps
