// SPDX-License-Identifier: Apache-2.0
// Both ways in which depthwise kernels gather.
#include "algorithms/forced_run.h"

namespace spb {
namespace {

// Slabs that are cut, tiles whose halo takes several rounds (solid voxels), as many offsets as a
// mask holds, tails of tiles, one voxel, none.
// Small kernels first: what a device is asked for a launch, later ones have.
constexpr KernelShape kDepthwiseShapes[] = {
    {"generative k2x2x2 s2x2x2 d1x1x1", 60, 8, 8}, {"subm k3x3x3 s1x1x1 d1x1x1", 400, 40, 40},
    {"subm k3x3x3 s1x1x1 d1x1x1", 729, 72, 72},    {"subm k1x3x5 s1x1x1 d1x2x1", 300, 8, 8},
    {"strided k2x4x4 s2x2x2 d1x1x1", 600, 24, 24}, {"strided k3x3x3 s2x2x2 d2x2x2", 90, 16, 16},
    {"inverse k3x3x3 s2x2x2 d1x1x1", 200, 8, 8},   {"subm k3x3x3 s1x1x1 d1x1x1", 1, 32, 32},
    {"subm k3x3x3 s1x1x1 d1x1x1", 0, 32, 32}};

TEST(Depthwise, GathersByHalosAndByRowsTheSame) {
  uint32_t seed = 30;
  for (const char* gather : {"halo", "rows"})
    for (const char* dtype : {"f32", "f16", "bf16"})
      for (const char* direction : {"fprop", "dgrad", "wgrad"})
        for (const KernelShape& shape : kDepthwiseShapes) {
          Problem problem = parse_problem(
              std::string(shape.geometry) + " c1:1 " + dtype + " " + direction, "test");
          problem.c_in = problem.c_out = problem.groups = shape.c_in;
          problem.bias = ++seed % 2 != 0;
          problem.epilogue = naive::epilogue_of(problem, seed);
          Algorithm row = algorithm_named("depthwise");
          row.choice.values["gather"] = gather;
          SCOPED_TRACE(std::string(gather) + " " + to_text(problem));
          const VoxelSet voxels = naive::random_voxels({1, {9, 9, 9}}, shape.voxels, seed);
          const PlanDescription plan = expect_naive(row, problem, voxels, seed);
          EXPECT_NE(plan.kernel.find(*gather == 'h' ? "halo" : "gather"), std::string::npos);
          if (HasFailure()) return;
        }
}

TEST(Depthwise, TakesWhatWinsFirst) {
  const auto first = [](const char* text, int64_t rows) {
    Problem problem = parse_problem(text, "test");
    problem.c_in = problem.c_out = problem.groups = 16;
    const SizedProblem sized{problem, rows, rows, 13 * rows};
    const auto choices = algorithm_named("depthwise").choices(sized, ChoiceRange::likely);
    return choices.empty() ? "" : *choices.front().find("gather");
  };
  EXPECT_EQ(first("subm k3x3x3 s1x1x1 d1x1x1 c1:1 f16 fprop", 20000), "halo");
  EXPECT_EQ(first("subm k3x3x3 s1x1x1 d1x1x1 c1:1 f16 dgrad", 2000), "rows");
  EXPECT_EQ(first("subm k3x3x3 s1x1x1 d1x1x1 c1:1 f16 wgrad", 2000), "halo");
  EXPECT_EQ(first("strided k3x3x3 s2x2x2 d1x1x1 c1:1 f16 wgrad", 20000), "rows");
  EXPECT_EQ(first("subm k5x5x5 s1x1x1 d1x1x1 c1:1 f16 fprop", 20000), "") << "nothing to choose";
}

TEST(Depthwise, RefusesHalosThatNoSlotHolds) {
  const auto reason = [](const char* text, int channels) {
    Problem problem = parse_problem(text, "test");
    problem.c_in = problem.c_out = problem.groups = channels;
    return algorithm_named("depthwise").unsupported(problem, {{{"gather", "halo"}}}).value_or("");
  };
  EXPECT_EQ(reason("subm k3x3x3 s1x1x1 d1x1x1 c1:1 f32 fprop", 12), "");
  const std::string refused =
      "gather halo takes up to 32 kernel offsets and rows of whole 16 bytes";
  EXPECT_EQ(reason("subm k3x3x3 s1x1x1 d1x1x1 c1:1 f32 fprop", 13), refused);
  EXPECT_EQ(reason("subm k3x3x3 s1x1x1 d1x1x1 c1:1 f16 wgrad", 12), refused);
  EXPECT_EQ(reason("subm k5x5x5 s1x1x1 d1x1x1 c1:1 f16 fprop", 16), refused);
}

}  // namespace
}  // namespace spb
