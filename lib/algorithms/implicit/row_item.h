// The units of work of a persistent kernel of fprop and dgrad, listed by the plan.
#pragma once

#include <cstdint>

#include "maps/maps.h"

namespace spb::plans {

/// One slice of one column tile of one row tile. Its steps are (listed offset, block of depth),
/// from `entry` and first_depth_step() on. 16 bytes, so that one load brings it.
struct alignas(16) RowItem {
  static constexpr int kStepBits = 20, kColumnBits = 16;

  uint32_t entry = 0;  ///< into TileLists::valid_kernel
  uint32_t packed_steps = 0;
  uint32_t tile = 0;
  uint32_t packed_column = 0;

  __host__ __device__ int steps() const {
    return static_cast<int>(packed_steps & ((1u << kStepBits) - 1));
  }
  __host__ __device__ int first_depth_step() const {
    return static_cast<int>(packed_steps >> kStepBits);
  }
  __host__ __device__ int column_tile() const {
    return static_cast<int>(packed_column & ((1u << kColumnBits) - 1));
  }
  __host__ __device__ int slice() const { return static_cast<int>(packed_column >> kColumnBits); }
};

/// What the items of a problem are made of.
struct RowItemShape {
  int column_tiles = 1;
  int depth_steps = 1;  ///< blocks of depth per offset
  int split = 1;        ///< slices per tile
};

/// Whether a RowItem can hold those of so many tiles, each listing up to `kernel_volume` offsets.
bool row_items_fit(int64_t row_tiles, int kernel_volume, const RowItemShape& shape);

/// All items: column tiles fastest, then slices, then row tiles, so that blocks that run side by
/// side share gathered rows. `tile_order`: [lists.tiles]; null: as numbered. Does not wait.
gpu::Buffer<RowItem> build_row_items(const maps::TileLists& lists, const int32_t* tile_order,
                                     const RowItemShape& shape, maps::BuildContext context);

}  // namespace spb::plans
