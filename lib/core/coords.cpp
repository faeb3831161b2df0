// SPDX-License-Identifier: Apache-2.0
#include "core/coords.h"

#include <algorithm>
#include <limits>

#include "core/error.h"

namespace spb {

VoxelSet fit_box(std::vector<Coord> grid_coords) {
  VoxelSet set;
  set.coords = std::move(grid_coords);
  if (set.coords.empty()) return set;

  constexpr int32_t Coord::*kAxes[] = {&Coord::x, &Coord::y, &Coord::z};
  for (int axis = 0; axis < 3; ++axis) {
    const auto member = kAxes[axis];
    const auto [low, high] = std::ranges::minmax(set.coords, {}, member);
    const int64_t origin = low.*member, span = int64_t{high.*member} - origin + 1;
    if (span > std::numeric_limits<int32_t>::max())
      throw input_error("voxel coordinates",
                        "axis " + std::string(1, "xyz"[axis]) + " spans " + std::to_string(span) +
                            " cells, more than 2^31 - 1",
                        "crop the data or use a larger voxel size");
    set.origin[axis] = static_cast<int32_t>(origin);
    set.box.shape[axis] = static_cast<int32_t>(span);
    for (Coord& row : set.coords) row.*member = static_cast<int32_t>(row.*member - origin);
  }
  set.box.batch_size = std::ranges::max(set.coords, {}, &Coord::batch).batch + 1;
  return set;
}

}  // namespace spb
