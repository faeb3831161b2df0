// SPDX-License-Identifier: Apache-2.0
#include "core/coords.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"

namespace spb {

double surface_share(int64_t voxels, const Box& box) {
  double cells = 1;
  for (const int32_t length : box.shape) cells *= length;
  if (cells == 0 || box.batch_size == 0) return 0;
  const double edge = std::cbrt(cells);
  return static_cast<double>(voxels) / box.batch_size / (edge * edge);
}

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
