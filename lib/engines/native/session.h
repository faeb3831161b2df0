// SPDX-License-Identifier: Apache-2.0
// An algorithm planned on a voxel set, with device memory for its operands.
#pragma once

#include <memory>

#include "algorithms/algorithm.h"
#include "core/coords.h"
#include "core/problem.h"
#include "engines/native/device_operands.h"
#include "maps/device_coords.h"

namespace spb::engines {

/// Members stand in the order in which they need one another: what is below is destroyed first.
struct Session {
  /// With `guards`, every buffer lies between canaries. Throws Error as Algorithm::plan does.
  Session(const Algorithm& algorithm, const Problem& problem, const VoxelSet& voxels, bool guards)
      : allocator(guards),
        coords(maps::upload(voxels, allocator, stream)),
        plan(algorithm.plan(problem, coords, allocator, stream)),
        operands(problem, plan->size(), allocator) {
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
