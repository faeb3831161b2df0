// SPDX-License-Identifier: Apache-2.0
#include "kernels/schedule/work_tile.h"

#include <algorithm>

#include "gpu/launch.cuh"
#include "kernels/gather_gemm/slice.h"

namespace spb::plans {
namespace {

constexpr int64_t kMost32 = int64_t{1} << 32;
/// Positions behind the last work tile that blocks ask for, at most: three each.
constexpr int64_t kMostOvershoot = 1 << 16;

GPU_KERNEL void work_tiles_kernel(const int64_t* begin, const int32_t* order, int64_t tiles,
                                  int64_t work_tiles, WorkTileShape shape,
                                  StaticScheduleView schedule, uint32_t* counters, WorkTile* out) {
  gpu::wait_for_earlier_kernels();
  const int64_t work_tile = gpu::global_index();
  if (counters && work_tile < kWorkTileCounters) counters[work_tile] = 0;
  if (work_tile >= work_tiles) return;
  const int64_t column = work_tile % shape.column_tiles;
  const int64_t slice = work_tile / shape.column_tiles % shape.split;
  const int64_t position = work_tile / shape.column_tiles / shape.split;  // of all segments
  const int64_t segment = position / tiles;
  const int64_t tile = order ? order[position] : position - segment * tiles;
  const int64_t listed = segment * tiles + tile;
  const int64_t steps = (begin[listed + 1] - begin[listed]) * shape.depth_steps;
  const int64_t first = slice_begin(slice, shape.split, steps);
  const int64_t count = slice_begin(slice + 1, shape.split, steps) - first;
  WorkTile written;
  written.entry = static_cast<uint32_t>(begin[listed] + first / shape.depth_steps);
  written.packed_steps =
      static_cast<uint32_t>(count | first % shape.depth_steps << WorkTile::kStepBits);
  written.tile = static_cast<uint32_t>(tile);
  written.packed_column =
      static_cast<uint32_t>(column | (segment + slice) << WorkTile::kColumnBits);
  out[schedule.begin ? schedule.place(position, column, shape.column_tiles) : work_tile] = written;
}

}  // namespace

bool work_tiles_fit(int64_t row_tiles, int kernel_volume, const WorkTileShape& shape) {
  constexpr int64_t kMostColumns = 1 << WorkTile::kColumnBits, kMostSlices = 1 << 16;
  constexpr int64_t kMostSteps = 1 << WorkTile::kStepBits;
  constexpr int64_t kMostDepthSteps = 1 << (32 - WorkTile::kStepBits);
  return row_tiles * kernel_volume < kMost32 &&
         work_tiles_of(row_tiles, shape) < kMost32 - kMostOvershoot &&
         int64_t{kernel_volume} * shape.depth_steps < kMostSteps &&
         shape.depth_steps <= kMostDepthSteps && shape.column_tiles < kMostColumns &&
         shape.split < kMostSlices;
}

void write_work_tiles(const maps::TileLists& lists, const int32_t* tile_order,
                      const WorkTileShape& shape, const StaticSchedule& schedule,
                      uint32_t* counters, WorkTile* out, const gpu::Stream& stream) {
  const int64_t work_tiles = work_tiles_of(lists, shape);
  const int64_t threads = std::max<int64_t>(work_tiles, counters ? kWorkTileCounters : 0);
  gpu::launch_flat_few_early(work_tiles_kernel, threads, stream, lists.valid_kernel_seg.data(),
                             tile_order, lists.tiles, work_tiles, shape, schedule.view(), counters,
                             out);
}

}  // namespace spb::plans
