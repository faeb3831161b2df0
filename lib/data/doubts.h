// SPDX-License-Identifier: Apache-2.0
// What in a voxel set looks as if its size were given in another unit than the file's.
#pragma once

#include <string>

#include "core/coords.h"
#include "data/voxelize.h"

namespace spb::data {

/// Share of the voxels that have no other in the 3x3x3 cells around them, of some 2,000 rows
/// spread evenly; 0 for no voxels. A lattice this thin makes every algorithm a copy.
double isolated_share(const VoxelSet& set);

/// Empty where nothing is odd; else one line: 90 % of the voxels are isolated, or a thousand
/// points and more fall into fewer than 16 cells an axis.
std::string doubt(const VoxelSet& set, const VoxelizeReport& report);

}  // namespace spb::data
