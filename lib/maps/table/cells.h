// SPDX-License-Identifier: Apache-2.0
// Cells of 4 x 4 x 4 voxels, a bit of one word each: another way to look neighbors up (maps.md,
// section 1). A kernel touches a few cells where it has many offsets.
#pragma once

#include <optional>
#include <string>

#include "core/problem.h"
#include "maps/table/hash_options.h"

namespace spb::maps {

inline constexpr int32_t kCellShift = 2;  // of a voxel's position to its cell's
inline constexpr int32_t kCellEdge = 1 << kCellShift;
inline constexpr uint32_t kCellColumns = kCellEdge * kCellEdge;  // of a cell, along z

/// The cells of a box of voxels. Throws Error (runtime) for a box that has no keys.
Box box_of_cells(const Box& voxels);

/// Slots of a table for the cells of `rows` voxels. Throws Error (runtime) where columns of their
/// rows are too many for 32 bits.
int64_t cell_capacity(int64_t rows, const HashOptions& options, int key_bits);

/// The options with a table of voxels or of cells, where that is left to sizes: cells where a
/// geometry of theirs is expected to be faster, unless anything else is asked of the table.
HashOptions with_table(HashOptions options, const ConvGeometry& geometry, int64_t rows);

/// Nothing, or why cells are no way to make maps of this geometry.
std::optional<std::string> no_cells(const ConvGeometry& geometry);

}  // namespace spb::maps
