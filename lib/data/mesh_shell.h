// SPDX-License-Identifier: Apache-2.0
// Surface voxels of a triangle mesh.
#pragma once

#include <span>
#include <vector>

#include "core/coords.h"
#include "data/point_cloud.h"

namespace spb::data {

/// Every cell whose closed unit box overlaps a triangle (separating axes: 3 of the box, the
/// normal, 9 edge by axis products), each once, in the order of the triangles. `points` are in
/// cells; triangles with a point that is not finite are left out. Throws Error (runtime) when a
/// cell leaves int32 or the triangles cover more than 2^31 - 1 cells.
std::vector<Coord> mesh_shell(std::span<const Point> points, std::span<const Triangle> triangles);

}  // namespace spb::data
