// SPDX-License-Identifier: Apache-2.0
// Tiles of clustered rows give what any other order gives: forced on problems of one mask word and
// several, odd sizes, both directions, with and without segments.
#include "algorithms/forced_run.h"

namespace spb {
namespace {

TEST(GreedyOrder, GivesRightResults) {
  const VoxelSet voxels = naive::random_voxels({1, {9, 9, 9}}, 333, 4);
  for (const char* geometry : {"subm k3x3x3 s1x1x1 d1x1x1", "subm k5x5x5 s1x1x1 d1x1x1",
                               "strided k3x3x3 s2x2x2 d1x1x1", "strided k4x2x5 s2x2x2 d1x1x1"})
    for (const char* direction : {"fprop", "dgrad"})
      for (const int segments : {0, 1, 3}) {
        const char* name = segments == 0 ? "masked_implicit_gemm" : "masked_implicit_gemm_splitk";
        Algorithm algorithm = forced(name, "fma_64x32x32");
        algorithm.choice.values["tile_order"] = "greedy";
        if (segments > 0) algorithm.choice.values["segments"] = std::to_string(segments);
        const Problem problem =
            parse_problem(std::string(geometry) + " c7:5 f32 " + direction, "test");
        SCOPED_TRACE(std::string(name) + " " + to_text(problem));
        const PlanDescription plan = expect_naive(algorithm, problem, voxels, 3);
        EXPECT_NE(plan.params_json.find("\"order\":\"greedy\""), std::string::npos);
      }
}

}  // namespace
}  // namespace spb
