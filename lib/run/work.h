// SPDX-License-Identifier: Apache-2.0
// Useful work, the same for every algorithm (measurement.md, section 11).
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/coords.h"
#include "core/problem.h"
#include "core/tensors.h"

namespace spb::run {

inline double useful_macs(const Problem& problem, int64_t n_pairs) {
  return static_cast<double>(n_pairs) * problem.c_out * problem.group_c_in();
}

/// Every tensor but a bias once, and the smaller form of the map.
inline double compulsory_bytes(const Problem& problem, int64_t n_in, int64_t n_out,
                               int64_t n_pairs) {
  double bytes = 0;
  for (const TensorSpec& spec : tensors(problem, {n_in, n_out}))
    if (!spec.optional) bytes += static_cast<double>(spec.bytes());
  const double map = std::min(8.0 * static_cast<double>(n_pairs),
                              4.0 * static_cast<double>(n_out) * problem.kernel_volume());
  return bytes + map;
}

/// Voxels over cells of their box; 1: no cell is empty, 0: there are no voxels.
inline double occupancy(const VoxelSet& voxels) {
  if (voxels.size() == 0) return 0;
  double cells = voxels.box.batch_size;
  for (const int32_t side : voxels.box.shape) cells *= side;
  return static_cast<double>(voxels.size()) / cells;
}

}  // namespace spb::run
