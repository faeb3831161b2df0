// SPDX-License-Identifier: Apache-2.0
#include "engines/native/layer_step.h"

#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "algorithms/named.h"
#include "data/generate.h"

namespace spb::engines {
namespace {

TEST(LayerStep, AStepBuildsItsMapsOnce) {
  const VoxelSet voxels = data::generate("sphere:16");
  const gpu::Stream stream;
  gpu::Allocator allocator;
  const maps::DeviceCoords coords = maps::upload(voxels, allocator, stream);
  const int64_t n = voxels.size();
  for (const Algorithm& algorithm : algorithms()) {
    const Problem problem = taken_by(algorithm, {.geometry = {}, .c_in = 8, .c_out = 8});
    const auto problems = layer_problems(problem);
    std::vector<DeviceOperands> operands;
    std::array<Operands, 3> pointers;
    for (size_t i = 0; i < problems.size(); ++i) {
      operands.emplace_back(problems[i], MapSize{n, n}, allocator);
      pointers[i] = operands.back().pointers();
    }
    LayerStep step(step_algorithms(algorithm, problem), problem, coords, pointers, allocator,
                   stream);
    const int64_t before = allocator.counts().live_bytes;
    step.run(2);
    EXPECT_EQ(step.map_builds(), 1) << algorithm.name;
    step.release();
    EXPECT_EQ(allocator.counts().live_bytes, before) << algorithm.name;
  }
}

}  // namespace
}  // namespace spb::engines
