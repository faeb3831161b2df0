// SPDX-License-Identifier: Apache-2.0
#include "maps/table/cells.h"

#include "maps/table/key_width.h"

namespace spb::maps {

Box box_of_cells(const Box& voxels) {
  cell_count(voxels);  // as the usual way: what it refuses is refused here
  Box cells = voxels;
  for (int32_t& extent : cells.shape) extent = extent / kCellEdge + (extent % kCellEdge != 0);
  return cells;
}

std::optional<std::string> no_cells(const ConvGeometry& geometry) {
  for (size_t axis = 0; axis < 3; ++axis)
    if (geometry.kernel_size[axis] > 1 && geometry.dilation[axis] > kCellEdge)
      return "a dilation above " + std::to_string(kCellEdge) +
             " leaves no two offsets of an axis in one cell";
  return std::nullopt;
}

}  // namespace spb::maps
