// SPDX-License-Identifier: Apache-2.0
// From points, meshes or raw coords to a voxel set.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/coords.h"
#include "data/point_cloud.h"

namespace spb::data {

/// Orders of voxel rows (datasets.md, section 5).
enum class VoxelOrder { file, lex, z, hash };
const char* name(VoxelOrder order);
VoxelOrder parse_voxel_order(const std::string& text, const std::string& where);

struct VoxelizeOptions {
  std::optional<double> voxel_size = {};  ///< edge in the file's unit (metres for scans)
  std::optional<int> resolution = {};  ///< R: longest side becomes R voxels (meshes: surface shell)
  std::array<double, 3> origin{0, 0, 0};
  bool merge = false;  ///< of integer coords: drop repeated rows instead of refusing them
  VoxelOrder order = VoxelOrder::file;
};

struct VoxelizeReport {
  int64_t points = 0;   ///< in the file (vertices for meshes, rows for coords)
  int64_t dropped = 0;  ///< not finite
  int64_t merged = 0;   ///< fell into a voxel that already existed
  bool was_coords = false;
};

/// Per axis floor((p - origin) / size) in double; equal voxels merge; NaN and infinity are dropped
/// and counted. Throws Error when nothing finite is left of a non-empty file, when a voxel leaves
/// int32, when coords repeat without `merge`, or when a size is needed and missing.
VoxelSet voxelize(const PointCloud& cloud, const VoxelizeOptions& options,
                  VoxelizeReport* report = nullptr);

/// Re-orders rows in place. `file` keeps them.
void sort_rows(VoxelSet& set, VoxelOrder order);

/// Appends `copies` - 1 copies of all rows, each with batch indices of its own: a batch of equal
/// clouds. Throws Error (usage) beyond 2^31 - 1 rows or batches.
void copy_as_batches(VoxelSet& set, int copies);

}  // namespace spb::data
