// SPDX-License-Identifier: Apache-2.0
// The units of work of a persistent kernel of fprop and dgrad, listed by the plan.
#pragma once

#include <cstdint>

#include "gpu/qualifiers.h"
#include "kernels/schedule/static_schedule.h"
#include "maps/parts.h"

namespace spb::plans {

/// One slice of one column tile of one row tile. Its steps are (listed offset, depth step),
/// from `entry` and first_depth_step() on. 16 bytes, so that one load brings it.
struct alignas(16) WorkTile {
  static constexpr int kStepBits = 20, kColumnBits = 16;

  /// Of its first listed offset in TileLists::valid_kernel, which is GatherGemmParams::listed, and
  /// in the tile index: counted over all segments.
  uint32_t entry = 0;
  uint32_t packed_steps = 0;
  uint32_t tile = 0;
  uint32_t packed_column = 0;

  GPU_HOST_DEVICE int steps() const {
    return static_cast<int>(packed_steps & ((1u << kStepBits) - 1));
  }
  GPU_HOST_DEVICE int first_depth_step() const {
    return static_cast<int>(packed_steps >> kStepBits);
  }
  GPU_HOST_DEVICE int column_tile() const {
    return static_cast<int>(packed_column & ((1u << kColumnBits) - 1));
  }
  /// Of a pass in segments, which has one slice of each, the segment.
  GPU_HOST_DEVICE int slice() const { return static_cast<int>(packed_column >> kColumnBits); }
  GPU_HOST_DEVICE int segment() const { return slice(); }
};

/// How the row tiles of one set of lists are cut.
struct WorkTileShape {
  int column_tiles = 1;
  int depth_steps = 1;  ///< of each listed offset
  int split = 1;        ///< slices per tile; of several segments, each is one
};

/// Whether a WorkTile can hold those of so many tiles, each listing up to `kernel_volume` offsets.
bool work_tiles_fit(int64_t row_tiles, int kernel_volume, const WorkTileShape& shape);

/// Work tiles that `tiles` row tiles make.
constexpr int64_t work_tiles_of(int64_t tiles, const WorkTileShape& shape) {
  return tiles * shape.column_tiles * shape.split;
}
inline int64_t work_tiles_of(const maps::TileLists& lists, const WorkTileShape& shape) {
  return work_tiles_of(lists.tiles * lists.segments, shape);
}

/// Counters of a run without a static schedule: the next work tile, and blocks that have ended.
inline constexpr int kWorkTileCounters = 2;

/// Writes them, segment by segment: column tiles fastest, then slices, then row tiles, so that
/// blocks that run side by side share gathered rows; or, by a `schedule`, block by block.
/// `tile_order`: [segments, lists.tiles]; null: as numbered. `counters`: [kWorkTileCounters] that
/// are set to zero by the way, or null. Does not wait.
void write_work_tiles(const maps::TileLists& lists, const int32_t* tile_order,
                      const WorkTileShape& shape, const StaticSchedule& schedule,
                      uint32_t* counters, WorkTile* out, const gpu::Stream& stream);

}  // namespace spb::plans
