// SPDX-License-Identifier: Apache-2.0
#include "gpu/launch.cuh"

#include <limits>
#include <string>

#include "core/error.h"
#include "gpu/launch_limits.h"

namespace spb::gpu {

unsigned grid_of(int64_t blocks) {
  if (blocks > std::numeric_limits<int32_t>::max())
    throw Error(ExitCode::runtime, "launch: a grid holds 2^31 - 1 blocks, not " +
                                       std::to_string(blocks) + "; split the work");
  return static_cast<unsigned>(blocks);
}

unsigned flat_grid(int64_t items) {
  const unsigned blocks = grid_of((items + kFlatBlock - 1) / kFlatBlock);
  require_grid(blocks, kFlatBlock, vendor::kMostGridThreads);
  return blocks;
}

}  // namespace spb::gpu
