// SPDX-License-Identifier: Apache-2.0
// What an algorithm costs in memory (measurement.md, section 9).
#pragma once

#include <cstdint>

#include "algorithms/algorithm.h"
#include "core/coords.h"
#include "core/problem.h"
#include "engines/contender.h"

namespace spb::engines {

/// As Implementation::memory().
MemoryUse account(const Algorithm& algorithm, const Problem& problem, const VoxelSet& voxels,
                  const MapSize& size);

}  // namespace spb::engines
