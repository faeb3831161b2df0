// SPDX-License-Identifier: Apache-2.0
// Geometry and work statistics of a voxel set. Plain CPU code: no device needed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/expected.h"
#include "core/problem.h"
#include "maps/orders/window.h"

namespace spb::run {

/// Executed / useful work of one row order and tile height.
struct Redundancy {
  std::string order;  ///< "none", "gray", "window", "greedy"
  int tile_rows = 0;
  double value = 0;  ///< tile_rows * listed offsets / n_pairs; partial tiles counted whole
};

struct Inspection {
  int64_t n_in = 0, n_out = 0, n_pairs = 0;
  int kernel_volume = 0;
  double pairs_per_voxel = 0;
  double occupancy = 0;                      ///< n_in / box cells
  int64_t unread = 0;                        ///< inputs that reach no output
  int64_t distinct_masks = 0, isolated = 0;  ///< isolated: rows whose only pair is their own voxel
  std::vector<int64_t> neighbor_histogram;   ///< [kernel_volume + 1] rows by number of pairs
  std::vector<int64_t> pairs_per_offset;     ///< [kernel_volume]
  std::vector<Redundancy> redundancy;
  // Work of one channel pair and dtype.
  double useful_macs = 0;
  double compulsory_bytes = 0;  ///< measurement.md, section 11
  double intensity_flop_per_byte = 0;
};

/// `window` rows per window of the windowed gray order, on z-order ranks.
Inspection inspect(const VoxelSet& voxels, const Problem& problem,
                   std::span<const int> tile_heights, int64_t window = maps::kWindow);

}  // namespace spb::run
