// A forward map whose kernels are under way: what it needs to be judged once they are done.
#pragma once

#include "maps/insert_status.h"
#include "maps/maps.h"

namespace spb::maps {

struct PendingMap {
  NeighborMap map;
  RowMasks masks;
  gpu::Buffer<InsertStatus> status;  ///< [1]; its kernels are safe whatever it says
  int64_t capacity = 0;              ///< of the table that was filled
};

/// Enqueues hash table, map and masks. Does not wait.
PendingMap start_neighbor_map(const DeviceCoords& in, const OutputCoords& out,
                              const ConvGeometry& geometry, BuildContext context,
                              const HashOptions& hash);

/// An unfilled map.
NeighborMap empty_map(int64_t n_out, int kernel_volume, BuildContext context);

/// Unset masks for the rows of a map.
RowMasks empty_masks(const NeighborMap& map, BuildContext context);

/// Rows of kernel_volume int32 that a block of at most `most` threads, one per row, stages in
/// shared memory. 48 KiB is what every device gives without being asked.
inline unsigned staged_rows(int kernel_volume, int64_t most) {
  const int64_t fit = (48 << 10) / (int64_t{kernel_volume} * int64_t{sizeof(int32_t)});
  return static_cast<unsigned>(fit < 1 ? 1 : fit < most ? fit : most);
}
inline size_t staged_bytes(unsigned rows, int kernel_volume) {
  return size_t{rows} * static_cast<size_t>(kernel_volume) * sizeof(int32_t);
}

}  // namespace spb::maps
