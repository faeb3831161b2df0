// SPDX-License-Identifier: Apache-2.0
// Rows of tiles that are small cubes: neighbors in a tile share what they gather.
#pragma once

#include "maps/orders/order.h"

namespace spb::maps {

/// Rows of a window of RowOrder::z: a tile of a kernel that reads halos.
inline constexpr int kZWindow = 256;

/// [segments, rows] rows in windows of kZWindow along the z curve of their coords, each sorted by
/// the high 24 bits of their key. `keys`: [segments, rows] of `key_bits`, as KeyRule writes them,
/// or empty. `zeros`: z_order_zeros() of them, or empty. Does not wait.
gpu::Buffer<int32_t> order_along_z(const RowCoords& coords, const gpu::Buffer<uint32_t>& keys,
                                   int key_bits, int segments, gpu::Buffer<uint32_t> zeros,
                                   BuildContext context);
/// uint32_t of scratch, zeros, that order_along_z() need not clear itself if it is given them.
int64_t z_order_zeros(const RowCoords& coords);

}  // namespace spb::maps
