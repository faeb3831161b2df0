// SPDX-License-Identifier: Apache-2.0
// What both kinds of table begin with: they are cleared, and fine rows are inserted.
#pragma once

#include "gpu/launch.cuh"
#include "maps/table/hash_table.cuh"
#include "maps/table/insert_status.h"

namespace spb::maps {

struct alignas(16) TwoWords {
  uint64_t first, second;
};

/// Fills [items] of a table. The status and what must be zero are cleared with it.
void clear_table(TwoWords* table, int64_t items, TwoWords empty, InsertStatus* status,
                 gpu::Buffer<uint32_t>& zeros, gpu::Buffer<uint32_t>& other_zeros,
                 const gpu::Stream& stream);

/// `insert`(voxel in the box, its row) returns Inserted.
template <class Insert>
GPU_KERNEL void insert_rows_kernel(const Coord* in, int64_t n, DeviceBox box, Insert insert,
                                   InsertStatus* status) {
  gpu::wait_for_earlier_kernels();
  const int64_t row = gpu::global_index();
  if (row >= n) return;
  const Coord p = in[row];
  const auto value = static_cast<uint32_t>(row);
  if (!box.holds(p)) {
    gpu::atomic_min(&status->out_of_range_row, value);
    return;
  }
  const Inserted inserted = insert(p, value);
  if (inserted == Inserted::repeated) gpu::atomic_min(&status->repeated_row, value);
  if (inserted == Inserted::full) gpu::atomic_min(&status->full_row, value);
}

}  // namespace spb::maps
