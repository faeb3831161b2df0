// SPDX-License-Identifier: Apache-2.0
// Greedy clusters of rows: tiles that list few offsets besides those that their rows have.
//
// Rows sorted by their masks form groups of equal masks; successive groups form windows. In each
// window tile after tile is filled. A tile begins with the largest group left, at once with all its
// tiles if it has several, and takes on the group whose joining wastes least for each row of it, of
// the last one as many rows as fit. Ties go to the group that comes first.
//
// A tile that begins with the largest group leaves the small ones, which need others most, for when
// many are still left to choose from: begun with the most neighbors instead, tiles of scans end up
// worse than sorted ones (redundancy of 128-row tiles, Ouster street at 0.1 m: 1.97, sorted 1.91,
// so 1.65). Windows of 900 groups gain most of what there is to be gained: on the sphere of R = 64,
// 128, 256 sorted 1.62, 1.31, 1.148; clustered 1.38, 1.16, 1.066; with twice the groups 1.36, 1.15,
// 1.062. A block takes about as many steps, one after the other, as its window has groups.
#pragma once

#include <algorithm>
#include <cstdint>

#include "maps/parts.h"

namespace spb::maps {

/// Groups that a block holds, and the shared memory that it may use for them: as staged_rows().
inline constexpr int kMostClusterGroups = 1024;
inline constexpr int64_t kClusterBytes = 40 << 10;

/// Groups of a window, at most; 0 where a window would hold so few that nothing is gained. Beyond
/// its own a block holds those of the tile that its window ends in.
constexpr int window_groups(int words_per_row, int tile_rows) {
  const int64_t of_group = 4 * int64_t{words_per_row} + 28, of_warps = 64 * int64_t{words_per_row};
  const int64_t held = std::min<int64_t>(kMostClusterGroups, (kClusterBytes - of_warps) / of_group);
  return held >= 2 * int64_t{tile_rows} ? static_cast<int>(held - tile_rows) : 0;
}

/// Products that a row wastes which joins a tile with others, in sixteenths: the tile has `missing`
/// offsets that the row has not, and each of the `filled` rows in it will have `added` more, shared
/// by those who join. `share` = join_share() of how many these are.
constexpr uint32_t join_cost(int added, int missing, int filled, uint32_t share) {
  constexpr uint64_t kMost = (uint64_t{1} << 22) - 2;  // leaves bits for a group beside it
  const uint64_t shared = static_cast<uint64_t>(int64_t{added} * filled) * share >> 12;
  return static_cast<uint32_t>(std::min(shared + 16 * static_cast<uint64_t>(missing), kMost));
}
constexpr uint32_t join_share(int rows) { return (16u << 12) / static_cast<uint32_t>(rows); }

/// The order [segments, n_rows] of rows sorted by their masks, clustered for tiles of `tile_rows`
/// rows. Does not wait.
gpu::Buffer<int32_t> cluster_rows(const RowMasks& masks, int segments, int tile_rows,
                                  gpu::Buffer<int32_t> order, BuildContext context);

}  // namespace spb::maps
