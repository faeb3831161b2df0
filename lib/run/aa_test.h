// SPDX-License-Identifier: Apache-2.0
// One case against itself: what differs then is noise (measurement.md, section 13).
#pragma once

#include <vector>

#include "core/coords.h"
#include "core/problem.h"
#include "engines/contender.h"

namespace spb::run {

/// Times by round, in microseconds, of two sides that are the same.
struct AaTimes {
  std::vector<std::vector<double>> a, b;
};

/// Hot runs of one contender, five rounds in which the sides take turns at being first.
AaTimes aa_test(const engines::Implementation& algorithm, const Problem& problem,
                const VoxelSet& voxels);

}  // namespace spb::run
