// SPDX-License-Identifier: Apache-2.0
// A forward map whose kernels are under way: what it needs to be judged once they are done.
#pragma once

#include "maps/lists/list_parts.h"
#include "maps/orders/order.h"
#include "maps/table/hash_options.h"
#include "maps/table/insert_status.h"

namespace spb::maps {

/// The two sides of a layer, told by their grids.
struct Sides {
  RowCoords fine, coarse;
  std::array<int64_t, 3> origin{};  ///< MadeGrid::origin
};

struct PendingMap {
  NeighborMap map;
  RowMasks masks;
  gpu::Buffer<InsertStatus> status;  ///< [1]; its kernels are safe whatever it says
  int64_t capacity = 0;              ///< of the table that was filled
};

/// An unfilled forward map with unset masks. Checks what can be checked without looking at coords.
PendingMap empty_pending_map(const Sides& sides, const ConvGeometry& geometry, BuildContext context,
                             const HashOptions& hash);

/// Enqueues hash table, map and masks, with the sort keys of rows where `keyed` has memory for
/// them, and the columns if they are wanted. Clears the scratch of the sort and `zeros`. Does not
/// wait.
void start_neighbor_map(const Sides& sides, const ConvGeometry& geometry, PendingMap& pending,
                        KeyedRows& keyed, const ColumnCounts& columns, gpu::Buffer<uint32_t>& zeros,
                        BuildContext context, const HashOptions& hash);

/// The same by cells (cells.h). `pending` has the capacity of their table.
void start_cell_map(const Sides& sides, const ConvGeometry& geometry, PendingMap& pending,
                    KeyedRows& keyed, const ColumnCounts& columns, gpu::Buffer<uint32_t>& zeros,
                    BuildContext context, const HashOptions& hash);

/// [n_fine, kernel_volume]: entry (p, o) = u. Does not wait.
NeighborMap reverse_neighbor_map(const NeighborMap& forward, int64_t n_fine, BuildContext context);

RowMasks build_masks(const NeighborMap& map, BuildContext context);

/// Unset masks for the rows of a map.
RowMasks empty_masks(const NeighborMap& map, BuildContext context);

}  // namespace spb::maps
