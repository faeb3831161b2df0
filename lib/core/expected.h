// SPDX-License-Identifier: Apache-2.0
// What the reference hands to the verifier: values and the scales that bound a device's rounding.
#pragma once

#include <cstdint>
#include <vector>

#include "core/coords.h"

namespace spb {

/// One joined (input voxel, output voxel, kernel offset).
struct Triple {
  int32_t offset = 0, out = 0, in = 0;
  friend auto operator<=>(const Triple&, const Triple&) = default;
  friend bool operator==(const Triple&, const Triple&) = default;  // as in Coord
};

/// A kernel map as a set, with the output voxels it refers to.
struct MapSet {
  std::vector<Coord> out_coords;  ///< [n_out]; the input rows for submanifold, else lexicographic
  std::vector<Triple> triples;    ///< sorted by (offset, out, in)
};

/// Dense [rows, cols] expectation of one output tensor. Rows are output voxels (fprop), input
/// voxels (dgrad), c_out * kernel_volume (wgrad, cols = c_in), or 1 (bias gradient, cols = c_out).
/// The quantities of verification.md's floating-point mode, per element:
struct Expected {
  int64_t rows = 0, cols = 0;
  std::vector<double> value;          ///< y
  std::vector<double> error_scale;    ///< Q, root sum of squares of the running sums
  std::vector<double> partial_scale;  ///< sqrt(P), root sum of squares of the tile sums
  std::vector<double> abs_sum;        ///< sum |a * b|
  std::vector<double> terms;          ///< R, number of products (bias counted as one)
};

}  // namespace spb
