// SPDX-License-Identifier: Apache-2.0
// From points, meshes or raw coords to a voxel set.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/coords.h"
#include "core/voxel_grid.h"
#include "data/point_cloud.h"

namespace spb::data {

/// Orders of voxel rows (datasets.md, section 5).
enum class VoxelOrder { file, lex, z, hash };
const char* name(VoxelOrder order);
VoxelOrder parse_voxel_order(const std::string& text, const std::string& where);

struct VoxelizeOptions {
  std::optional<VoxelSize> voxel_size = {};  ///< in the file's unit (metres for scans)
  std::optional<int> resolution = {};  ///< R: longest side becomes R voxels (meshes: surface shell)
  std::optional<CropRange> range = {};  ///< its lowest corner is the origin, its cells the box
  Frame frame = Frame::cartesian;
  std::array<double, 3> origin{0, 0, 0};  ///< without a range
  bool merge = false;  ///< of integer coords: drop repeated rows instead of refusing them
  VoxelOrder order = VoxelOrder::file;
};

struct VoxelizeReport {
  int64_t points = 0;   ///< in the file (vertices for meshes, rows for coords)
  int64_t dropped = 0;  ///< not finite
  int64_t outside = 0;  ///< of the range, or of its last whole voxel
  int64_t merged = 0;   ///< fell into a voxel that already existed
  bool was_coords = false;
};

/// Throws Error (usage) when size, range and frame do not go together; needs no data.
void check_grid(const VoxelizeOptions& options);

/// Per axis floor((p - origin) / size) in double; equal voxels merge; NaN and infinity are dropped
/// and counted, and so is what lies outside of the range. Throws Error when nothing is left of a
/// non-empty file, when a voxel leaves int32, when coords repeat without `merge`, or when a size is
/// needed and missing. Coords have no metres: size, range and frame do not apply to them. Range and
/// frame are for points, not for meshes.
VoxelSet voxelize(const PointCloud& cloud, const VoxelizeOptions& options,
                  VoxelizeReport* report = nullptr);

/// Re-orders rows in place. `file` keeps them.
void sort_rows(VoxelSet& set, VoxelOrder order);

/// Appends `copies` - 1 copies of all rows, each with batch indices of its own: a batch of equal
/// clouds. Throws Error (usage) beyond 2^31 - 1 rows or batches.
void copy_as_batches(VoxelSet& set, int copies);

}  // namespace spb::data
