// SPDX-License-Identifier: Apache-2.0
// Counts of the 3x3x3 submanifold kernel map from sorted keys, sharing no code with the program.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/coords.h"

namespace spb::data {

/// Pairs of neighbours, each voxel with itself included.
inline int64_t count_pairs(const VoxelSet& set) {
  // One empty cell round the box: a step never wraps into another row.
  const int64_t y_cells = set.box.shape[1] + 2, z_cells = set.box.shape[2] + 2;
  const int64_t x_cells = set.box.shape[0] + 2;
  std::vector<int64_t> keys;
  for (const Coord& c : set.coords)
    keys.push_back(((c.batch * x_cells + c.x + 1) * y_cells + c.y + 1) * z_cells + c.z + 1);
  std::sort(keys.begin(), keys.end());
  int64_t pairs = set.size();
  for (int64_t dx = 0; dx <= 1; ++dx)
    for (int64_t dy = -1; dy <= 1; ++dy)
      for (int64_t dz = -1; dz <= 1; ++dz) {
        const int64_t step = (dx * y_cells + dy) * z_cells + dz;
        if (step <= 0) continue;  // its mirror image is counted
        auto other = keys.begin();
        for (const int64_t key : keys) {
          while (other != keys.end() && *other < key + step) ++other;
          if (other != keys.end() && *other == key + step) pairs += 2;
        }
      }
  return pairs;
}

}  // namespace spb::data
