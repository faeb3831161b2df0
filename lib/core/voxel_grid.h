// SPDX-License-Identifier: Apache-2.0
// What turns points into voxels: the frame, the edges of a voxel, the range that counts; and their
// text forms.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/coords.h"

namespace spb {

/// Axes of the grid. A cylinder's are (rho, phi, z): the distance from the z axis, the angle in
/// [-pi, pi), and z.
enum class Frame { cartesian, cylinder };
const char* name(Frame frame);

/// Edges of a voxel in the file's unit (radians on an angle). One number is a cube.
struct VoxelSize {
  std::array<double, 3> edges{1, 1, 1};
  VoxelSize(double edge) : edges{edge, edge, edge} {}
  VoxelSize(double x, double y, double z) : edges{x, y, z} {}
  bool is_cube() const { return edges[0] == edges[1] && edges[1] == edges[2]; }
  friend bool operator==(const VoxelSize&, const VoxelSize&) = default;
};

/// The part of the space that counts, in the axes of the frame: low inclusive, high exclusive.
struct CropRange {
  std::array<double, 3> low{0, 0, 0}, high{0, 0, 0};
  friend bool operator==(const CropRange&, const CropRange&) = default;
};

/// round((high - low) / edge) per axis: a detector's grid. Throws Error (usage, --range) for a
/// voxel that is larger than the range, and beyond 2^31 - 1 cells.
Int3 cells_of(const CropRange& range, const VoxelSize& size);

std::string to_text(const VoxelSize& size);   ///< "0.05", or "0.05x0.05x0.1"
std::string to_text(const CropRange& range);  ///< "0,-40,-3:70.4,40,1"

/// All throw Error (usage) naming `where`. Edges are finite and above 0, a range has some width.
VoxelSize parse_voxel_size(std::string_view text, std::string_view where);
CropRange parse_range(std::string_view text, std::string_view where);
Frame parse_frame(std::string_view text, std::string_view where);

}  // namespace spb
