// SPDX-License-Identifier: Apache-2.0
#include "maps/table/cells.h"

#include "core/error.h"
#include "maps/table/key_width.h"

namespace spb::maps {

Box box_of_cells(const Box& voxels) {
  cell_count(voxels);  // as the usual way: what it refuses is refused here
  Box cells = voxels;
  for (int32_t& extent : cells.shape) extent = extent / kCellEdge + (extent % kCellEdge != 0);
  return cells;
}

int64_t cell_capacity(int64_t rows, const HashOptions& options, int key_bits) {
  constexpr int64_t kMost = (int64_t{1} << 32) / kCellColumns;
  const int64_t slots = set_capacity(rows, options, key_bits);
  if (slots > kMost)
    throw input_error("maps by cells",
                      std::to_string(rows) + " rows need " + std::to_string(slots) +
                          " slots, 32 bits number the columns of " + std::to_string(kMost),
                      "leave --map-variant cells out");
  return slots;
}

std::optional<std::string> no_cells(const ConvGeometry& geometry) {
  for (size_t axis = 0; axis < 3; ++axis)
    if (geometry.kernel_size[axis] > 1 && geometry.dilation[axis] > kCellEdge)
      return "a dilation above " + std::to_string(kCellEdge) +
             " leaves no two offsets of an axis in one cell";
  return std::nullopt;
}

}  // namespace spb::maps
