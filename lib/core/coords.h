// SPDX-License-Identifier: Apache-2.0
// Voxel coordinates: the rows that every other part works on.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace spb {

using Int3 = std::array<int32_t, 3>;  ///< x, y, z

/// One voxel. Four int32 without padding, so that a row is one 16-byte load on a device.
struct alignas(16) Coord {
  int32_t batch = 0, x = 0, y = 0, z = 0;
  friend auto operator<=>(const Coord&, const Coord&) = default;
  friend bool operator==(const Coord&, const Coord&) = default;  // nvcc does not always imply it
};

/// The cells that coords may lie in: batch in [0, batch_size), each axis in [0, shape).
struct Box {
  int32_t batch_size = 1;
  Int3 shape{0, 0, 0};
  friend bool operator==(const Box&, const Box&) = default;
};

/// How much of a surface that spans its box voxels are: those of an entry of the batch over a side
/// of the cube that has as many cells as the box. Of shells 3.9 (spheres) to 8, of lidar's scans,
/// few in a large box, 0.04 to 0.3. Says before any map is made whether voxels have many neighbors.
/// 0 for a box without cells.
double surface_share(int64_t voxels, const Box& box);

/// A voxel set: unique rows inside a box, in a named row order. Coordinates are relative to
/// `origin`.
struct VoxelSet {
  std::vector<Coord> coords;  ///< [n], unique
  Box box;
  Int3 origin{0, 0, 0};  ///< added to a row, gives the voxel's index in the data's own grid
  int64_t size() const { return static_cast<int64_t>(coords.size()); }
};

/// Shifts signed grid coordinates to a box that starts at 0 and just holds them.
/// Throws Error (runtime) when an axis spans more than 2^31 - 1 cells.
VoxelSet fit_box(std::vector<Coord> grid_coords);

}  // namespace spb
