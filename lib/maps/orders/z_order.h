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
  bool in_other = false;  ///< where the sorted ones are
};

/// Whether sort_along_z() can sort rows of these coords.
bool sorts_along_z(const RowCoords& coords);
/// All that sorting takes, which allocates nothing itself.
RowsAlongZ empty_along_z(const RowCoords& coords, gpu::Allocator& allocator);
/// The two halves of the sort, which need nothing but coords and do not wait: the host may launch
/// what goes on beside between them.
void count_along_z(const RowCoords& coords, RowsAlongZ& along, const gpu::Stream& stream);
void sort_along_z(const RowCoords& coords, RowsAlongZ& along, const gpu::Stream& stream);

/// [n] rows, of `along`, or by the vendor's sort where nothing was sorted yet. Does not wait.
gpu::Buffer<int32_t> rows_along_z(const RowCoords& coords, std::optional<RowsAlongZ> along,
                                  BuildContext context);

/// Windows of kZWindow rows along the curve, each to be sorted by the high 24 bits of its rows'
/// keys.
struct WindowSort {
  const int32_t* along = nullptr;  ///< [n] rows
  const uint32_t* keys = nullptr;  ///< [segments, n]; null: they stay as they are
  int32_t dropped_bits = 0;        ///< the lowest of a key
};

/// `along` of rows_along_z(); `keys`: [segments, n] of `key_bits`, as KeyRule writes them, or
/// empty.
WindowSort window_sort(const gpu::Buffer<int32_t>& along, const gpu::Buffer<uint32_t>& keys,
                       int key_bits);

/// [segments, n] rows in such windows, sorted. Does not wait.
gpu::Buffer<int32_t> order_along_z(const gpu::Buffer<int32_t>& along,
                                   const gpu::Buffer<uint32_t>& keys, int key_bits, int segments,
                                   BuildContext context);

}  // namespace spb::maps
