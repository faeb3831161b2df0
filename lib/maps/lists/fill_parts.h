// SPDX-License-Identifier: Apache-2.0
// What is left to write when the lengths of lists and pairs are known: by two kernels of many short
// blocks that need nothing of each other, so that they can share a launch.
#pragma once

#include <cstddef>
#include <optional>

#include "maps/lists/list_parts.h"

namespace spb::maps {

/// Lists that are written from the masks of their tiles.
struct ListsToFill {
  const uint32_t* tile_masks;  ///< [all tiles, words]
  const int64_t* begin;        ///< [all tiles + 1] starts, plus begin[0]
  int64_t all_tiles;
  int32_t kernel_volume;
  int64_t* seg;           ///< [all tiles + 1]
  int32_t* valid_kernel;  ///< [listed]
};

/// Lists with a tile index. Tiles too high for a block are cut in `parts`.
struct IndexFill {
  ListsToFill lists;
  const int32_t* map;
  const int32_t* order;  ///< [segments, n]; null: none
  int64_t n;
  int64_t tiles;  ///< of a segment
  int32_t tile_rows;
  int32_t parts;
  int32_t* tile_index;

  unsigned block_rows;  ///< threads
  size_t shared_bytes;
  int64_t blocks() const { return lists.all_tiles * parts; }
};

/// Pairs of the rows of a map, a thread for each row.
struct PairFill {
  const int32_t* map;
  int64_t n;
  int32_t kernel_volume;
  int64_t chunks;
  const uint64_t* columns;
  const int64_t* begin;  ///< scanned counts
  int32_t *fine_index, *coarse_index;

  size_t shared_bytes(unsigned block_rows) const;
  int64_t blocks(unsigned block_rows) const { return (n + block_rows - 1) / block_rows; }
};

/// Fills valid_kernel_seg and valid_kernel of lists whose `listed` is known, unless they have a
/// tile index: then they are yet to be written with it. `begin` = scanned counts.
std::optional<IndexFill> fill_lists(const NeighborMap& map, const gpu::Buffer<uint32_t>& tile_masks,
                                    const int64_t* begin, bool with_index, TileLists& lists,
                                    BuildContext context);

/// Memory for the lists of `pairs`, whose offset_begin_host is known. Nothing where there is no
/// pair.
std::optional<PairFill> pairs_to_fill(const NeighborMap& forward, const PairColumns& columns,
                                      const int64_t* begin, KernelMap& pairs, BuildContext context);

void launch_fill(const IndexFill& index, const gpu::Stream& stream);
void launch_fill(const PairFill& pairs, const gpu::Stream& stream);
/// Both, where there are both in one launch: each alone leaves much of the device idle.
void launch_fill(const std::optional<IndexFill>& index, const std::optional<PairFill>& pairs,
                 const gpu::Stream& stream);

}  // namespace spb::maps
