// SPDX-License-Identifier: Apache-2.0
// An algorithm planned on a voxel set, with device memory for its operands.
#pragma once

#include <algorithm>
#include <memory>

#include "algorithms/algorithm.h"
#include "core/coords.h"
#include "core/problem.h"
#include "engines/native/device_operands.h"
#include "maps/device_coords.h"

namespace spb::engines {

/// As wide as what a tile reaches beyond the last row of a tensor or of a map.
inline gpu::Guards guards_of(const Problem& problem) {
  constexpr int64_t kTileRows = 256, kElementBytes = 4;  // the most of any kernel
  const int64_t row = std::max({problem.c_in, problem.c_out, problem.kernel_volume()});
  return gpu::Guards::beyond(kTileRows * row * kElementBytes);
}

/// Members stand in the order in which they need one another: what is below is destroyed first.
struct Session {
  /// With `guards`, every buffer lies between canaries, and what a plan has not written itself is
  /// no zero. Throws Error as Algorithm::plan does.
  Session(const Algorithm& algorithm, const Problem& problem, const VoxelSet& voxels, bool guards)
      : allocator(guards ? guards_of(problem) : gpu::Guards{}),
        coords(maps::upload(voxels, allocator, stream)),
        plan(algorithm.plan(problem, coords, allocator, stream)),
        operands(problem, plan->size(), allocator, algorithm.weights) {
    stream.synchronize();
  }

  /// One run, finished when it returns.
  void run() {
    plan->run(operands.pointers(), stream);
    stream.synchronize();
  }

  gpu::Stream stream;
  gpu::Allocator allocator;
  maps::DeviceCoords coords;
  std::unique_ptr<Plan> plan;
  DeviceOperands operands;
};

}  // namespace spb::engines
