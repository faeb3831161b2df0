// SPDX-License-Identifier: Apache-2.0
// Rows of tiles that are small cubes: neighbors in a tile share what they gather.
#pragma once

#include <optional>

#include "maps/parts.h"

namespace spb::maps {

/// Rows of a window of RowOrder::z: a tile of a kernel that reads halos.
inline constexpr int kZWindow = 256;

/// Rows along the z curve, and what sorting them takes.
struct RowsAlongZ {
  gpu::Buffer<int32_t> rows, other_rows;
  gpu::Buffer<uint32_t> places, other_places, zeros;
  bool in_other = false;

  const gpu::Buffer<int32_t>& sorted() const { return in_other ? other_rows : rows; }
};

/// Whether sort_along_z() can sort rows of these coords.
bool sorts_along_z(const RowCoords& coords);
/// All that sort_along_z() takes, which allocates nothing itself.
RowsAlongZ empty_along_z(const RowCoords& coords, gpu::Allocator& allocator);
/// Needs nothing but coords. Does not wait.
void sort_along_z(const RowCoords& coords, RowsAlongZ& along, const gpu::Stream& stream);

/// [segments, n] rows in windows of kZWindow along the z curve of their coords, each sorted by the
/// high 24 bits of their key. `along`: of the same coords, sorted, or nothing, then the vendor
/// sorts them. `keys`: [segments, n] of `key_bits`, as KeyRule writes them, or empty. Does not
/// wait.
gpu::Buffer<int32_t> order_along_z(const RowCoords& coords, const std::optional<RowsAlongZ>& along,
                                   const gpu::Buffer<uint32_t>& keys, int key_bits, int segments,
                                   BuildContext context);

}  // namespace spb::maps
