// SPDX-License-Identifier: Apache-2.0
// What the reference hands to the verifier: values and the scales that bound a device's rounding.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/coords.h"
#include "core/uninitialized.h"

namespace spb {

/// One joined (input voxel, output voxel, kernel offset).
struct Triple {
  int32_t offset, out, in;
  friend auto operator<=>(const Triple&, const Triple&) = default;
  friend bool operator==(const Triple&, const Triple&) = default;  // as in Coord
};

/// Hundreds of millions of a large map: written by all processors, where they lie.
using Triples = UninitializedVector<Triple>;

/// A kernel map as a set, with the voxels it refers to. Coords that the layer makes are
/// lexicographic.
struct MapSet {
  std::vector<Coord> out_coords;  ///< [n_out]; the case's voxels for submanifold and inverse
  Triples triples;                ///< sorted by (offset, out, in)
  /// [n_in] of an inverse layer, which makes them; else nothing: the case's voxels.
  std::optional<std::vector<Coord>> in_coords = {};
};

/// The input rows of a map of these voxels.
inline std::span<const Coord> input_coords(const MapSet& map, const VoxelSet& voxels) {
  return map.in_coords ? *map.in_coords : voxels.coords;
}
inline int64_t input_rows(const MapSet& map, const VoxelSet& voxels) {
  return static_cast<int64_t>(input_coords(map, voxels).size());
}

/// Dense [rows, cols] expectation of one output tensor. Rows are output voxels (fprop), input
/// voxels (dgrad), c_out * kernel_volume (wgrad, cols = c_in / groups), or 1 (bias gradient, cols =
/// c_out). The quantities of verification.md's floating-point mode, per element:
struct Expected {
  int64_t rows = 0, cols = 0;
  std::vector<double> value;          ///< y
  std::vector<double> error_scale;    ///< Q, root sum of squares of the running sums
  std::vector<double> partial_scale;  ///< sqrt(P), root sum of squares of the tile sums
  std::vector<double> abs_sum;        ///< sum |a * b|
  std::vector<double> terms;          ///< R, number of products (bias and residual: one each)
  std::vector<double> before;         ///< the sum that an activation made y of; empty: y itself
};

}  // namespace spb
