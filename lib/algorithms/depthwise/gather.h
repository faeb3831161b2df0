// SPDX-License-Identifier: Apache-2.0
// Where the threads of a depthwise kernel find the rows that they add up.
#pragma once

#include "algorithms/algorithm.h"

namespace spb::plans {

/// From memory through the caches, row by row, or from a tile's halo in shared memory.
enum class DepthwiseGather { rows, halo };

/// What was chosen, else what is expected to be faster. Throws Error (usage) where halos were
/// forced and slots cannot name so many rows.
DepthwiseGather depthwise_gather(const Case& of);

}  // namespace spb::plans
