// SPDX-License-Identifier: Apache-2.0
// The tile lists of a masked pass: all offsets together, or segment by segment.
#pragma once

#include "kernels/gather_gemm/kernels.h"
#include "kernels/gather_gemm/params.h"
#include "kernels/multiply_rates.h"
#include "maps/orders/window.h"
#include "maps/parts.h"

namespace spb::plans {

/// What a pass reads of one segment of the lists. `tile_order`: [segments, lists.tiles], or null:
/// as numbered.
RowLists row_lists(const maps::TileLists& lists, const int32_t* tile_order, int segment);

/// Segments that a split pass over `rows` rows cuts its offsets into, 1: none. Few rows have so
/// many kinds of neighborhoods that tiles of like rows exist only for few offsets at a time; very
/// few rows need more slices than segments are good for; and what a segment spares grows with the
/// depth, but what adding it up costs does not. The bounds of rows lie between the clouds of the
/// flexgemm suite (848, 3,840, 15,192 and 64,160 rows) and a scan (9,384), those of depth at or
/// between the channels that `tune --mode all` was run with, f16 on an H200.
inline int row_segments(int64_t rows, int depth, Dtype dtype, int kernel_volume) {
  const int64_t time = int64_t{depth} * multiply_rates(dtype).product_time;
  int segments = 2;
  if (rows < 2048)
    segments = 1;
  else if (rows <= 8192)
    segments = time >= 1024 ? 7 : 1;
  else if (rows <= 32768)
    segments = time > 256 || rows <= 12288 ? 4 : 2;
  return segments < kernel_volume ? segments : 1;
}

/// The same where segments are added up in any order: tiles of two offsets have rows that have
/// either, and few of one alone. At 8, 16 and 24 of the suite's spheres with 1024 channels, 9, 14
/// and 27 segments take 41, 31, 37; 72, 64, 69; 129, 121, 133 us on an H200 (f16 fprop, event times
/// of a bench that is not in the records; those of 14 are).
constexpr int adding_segments(int kernel_volume) {
  const int segments = (kernel_volume + 1) / 2;
  return segments < maps::kMostSegments ? segments : maps::kMostSegments;
}

/// What a pass over all offsets takes unless told otherwise.
inline int usual_segments(const RowWork& work) {
  if (!work.split_k || !work.masked) return 1;
  const int kernel_volume = static_cast<int>(work.offsets);
  return work.adds ? adding_segments(kernel_volume)
                   : row_segments(work.rows, work.depth, work.dtype, kernel_volume);
}

/// Whether rows may be ordered as halos need them, given the order asked for.
constexpr bool may_be_along_z(std::optional<maps::RowOrder> order) {
  return order.value_or(maps::RowOrder::z) == maps::RowOrder::z;
}

/// What masked passes sort so many rows by, but where they read halos.
constexpr maps::RowOrder usual_order(int64_t rows) {
  return rows > maps::kGlobalOrderRows ? maps::RowOrder::window : maps::RowOrder::gray;
}

}  // namespace spb::plans
