// SPDX-License-Identifier: Apache-2.0
// What kernels are held against has to tell wrong ones from right ones.
#include "algorithms/naive.h"

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "core/dtype.h"

namespace spb {
namespace {

// As a kernel multiplies that drops the low parts of both operands.
TEST(NaiveInputs, Of3xtf32NeedTheLowPartsOfEitherOperand) {
  const VoxelSet voxels = naive::random_voxels({1, {5, 5, 5}}, 40, 3);
  for (const char* direction : {"fprop", "dgrad", "wgrad"})
    for (const uint32_t seed : {4u, 5u}) {
      const Problem problem =
          parse_problem(std::string("subm k3x3x3 s1x1x1 d1x1x1 c8:12 3xtf32 ") + direction, "test");
      SCOPED_TRACE(to_text(problem));
      const MapSet map = naive::build_map(voxels, problem.geometry);
      const auto count = static_cast<int64_t>(map.out_coords.size());
      naive::Inputs inputs = naive::integer_inputs(problem, count, count, seed);
      const std::vector<float> exact = naive::compute(problem, map, count, inputs);
      for (const float sum : exact) ASSERT_LT(std::abs(sum), 0x1p24f);
      int rounded = 0;
      for (std::vector<float>* operand : {&inputs.in, &inputs.weights, &inputs.gout}) {
        const std::vector<float> before = *operand;
        round_operands(*operand, Dtype::tf32);
        rounded += *operand != before;
      }
      EXPECT_EQ(rounded, 1) << "operands that have low parts";
      EXPECT_NE(naive::compute(problem, map, count, inputs), exact);
    }
}

}  // namespace
}  // namespace spb
