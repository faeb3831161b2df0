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

namespace {

constexpr int64_t kMostCellSlots = (int64_t{1} << 32) / kCellColumns;

/// Cubes of these edges have kernels of their own. Maps of sphere:256 take 0.48 and 0.23 of the
/// time by cells (reports/nvidia-h200/maps-alone), those of an edge of 3 as long for three times
/// the memory.
bool suits_cells(const ConvGeometry& geometry) {
  const int edge = geometry.kernel_size[0];
  return (edge == 5 || edge == 7) && geometry.kernel_size == Int3{edge, edge, edge} &&
         geometry.dilation == Int3{1, 1, 1};
}

bool is_usual(const HashOptions& options) {
  const HashOptions usual;
  return options.load_factor == usual.load_factor && options.capacity == usual.capacity &&
         options.key_bits == usual.key_bits && options.half == usual.half;
}

}  // namespace

HashOptions with_table(HashOptions options, const ConvGeometry& geometry, int64_t rows) {
  if (options.table_of != TableOf::by_size) return options;
  const bool cells = is_usual(options) && suits_cells(geometry) &&
                     set_capacity(rows, options, 64) <= kMostCellSlots;
  options.table_of = cells ? TableOf::cells : TableOf::voxels;
  return options;
}

int64_t cell_capacity(int64_t rows, const HashOptions& options, int key_bits) {
  const int64_t slots = set_capacity(rows, options, key_bits);
  if (slots > kMostCellSlots)
    throw input_error("maps by cells",
                      std::to_string(rows) + " rows need " + std::to_string(slots) +
                          " slots, 32 bits number the columns of " + std::to_string(kMostCellSlots),
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
