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

/// The locations that tiles of one row order, number of segments and height execute: rows times
/// offsets, as "valid", "dense" and "executed" locations are counted for spconv's split masks.
struct Redundancy {
  std::string order;  ///< "none", "plain", "gray", "window", "greedy"
  int segments = 1;   ///< of the offsets, each with an order of its own
  int tile_rows = 0;
  int64_t executed = 0;  ///< tile_rows * listed offsets; partial tiles counted whole
  double value = 0;      ///< executed / n_pairs
};

/// What rows are sorted and cut by, for the redundancies.
struct Tilings {
  std::vector<int> heights;
  std::vector<int> segments = {};  ///< empty: 1, 2 and 3, as far as there are offsets
  int64_t window = maps::kWindow;  ///< rows per window of the windowed gray order, on z-order ranks
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
  int64_t mirrored = 0;                      ///< rows whose mirrored mask is that of a row
  std::vector<Redundancy> redundancy;        ///< by order, segments, height
};

/// Throws Error (usage) for more segments than offsets, or than plans take.
Inspection inspect(const VoxelSet& voxels, const Problem& problem, const Tilings& tilings);

}  // namespace spb::run
