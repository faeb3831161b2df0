// The tile lists of a masked pass: all offsets together, or segment by segment.
#pragma once

#include "algorithms/implicit/row_pass.h"
#include "maps/maps.h"

namespace spb::plans {

/// Beyond this many rows a global order scatters reads over more memory than a cache holds; rows
/// are then sorted in windows. From runs of a prototype on an H200: windows of 64k rows win at 1.0M
/// rows of 128 channels and at 4.1M of 64, a global order wins up to 0.25M rows of 256.
inline constexpr int64_t kGlobalOrderRows = 1 << 19;
inline constexpr int64_t kWindow = 1 << 16;

/// Lists with what owns them.
struct OwnedRowLists {
  maps::TileLists lists;
  gpu::Buffer<int32_t> tile_order;  ///< empty: as numbered
  RowLists view() const;
};

/// `masks` with the offsets [first, end) alone.
maps::RowMasks segment_masks(const maps::RowMasks& masks, int first, int end,
                             maps::BuildContext context);

/// [lists.tiles] tiles by falling length of their lists, ties as numbered: with few tiles per
/// multiprocessor the last ones begun decide when a pass ends. Does not wait.
gpu::Buffer<int32_t> longest_first(const maps::TileLists& lists, int kernel_volume,
                                   maps::BuildContext context);

/// Segments that a split pass over `rows` rows cuts its offsets into, 1: none. Few rows have so
/// many kinds of neighborhoods that tiles of like rows exist only for few offsets at a time; very
/// few rows need more slices than segments are good for. The bounds lie between the clouds of the
/// flexgemm suite (848, 3,840, 15,192 and 64,160 rows), as measured on an H200.
constexpr int row_segments(int64_t rows, int kernel_volume) {
  const int segments = rows < 2048 ? 1 : rows <= 8192 ? 5 : rows <= 32768 ? 3 : 2;
  return segments < kernel_volume ? segments : 1;
}

}  // namespace spb::plans
