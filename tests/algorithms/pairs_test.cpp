// SPDX-License-Identifier: Apache-2.0
// Passes over tiles of pairs, by every kernel that takes them.
#include <limits>

#include "algorithms/forced_run.h"
#include "algorithms/instances.h"
#include "kernels/tiling.h"

namespace spb {
namespace {

// Odd channels, tails of rows and columns, rows without pairs (an input that no output is reached
// from, and outputs that one offset alone has), offsets without pairs, one voxel, none.
constexpr KernelShape kPairShapes[] = {
    {"subm k3x3x3 s1x1x1 d1x1x1", 400, 64, 128},   {"subm k3x3x3 s1x1x1 d1x1x1", 150, 17, 3},
    {"subm k5x5x5 s1x1x1 d1x1x1", 130, 8, 72},     {"strided k1x1x1 s2x2x2 d1x1x1", 300, 24, 40},
    {"strided k2x2x2 s2x2x2 d1x1x1", 300, 1, 33},  {"strided k3x3x3 s2x2x2 d2x2x2", 90, 12, 264},
    {"subm k1x1x1 s1x1x1 d1x1x1", 100, 32, 64},    {"subm k3x3x3 s1x1x1 d1x1x1", 1, 16, 16},
    {"subm k3x3x3 s1x1x1 d1x1x1", 0, 16, 16},      {"strided k2x2x2 s2x2x2 d1x1x1", 0, 8, 8},
    {"inverse k3x3x3 s2x2x2 d1x1x1", 200, 24, 40}, {"generative k2x2x2 s2x2x2 d1x1x1", 60, 17, 8}};

struct Pass {
  const char *algorithm, *reduction;
};
constexpr Pass kPasses[] = {
    {"fused_gather_scatter", ""}, {"grouped_gemm", ""}, {"grouped_gemm", "atomic"}};

Algorithm row_of(const Pass& pass, const std::string& kernel) {
  Algorithm row = forced(pass.algorithm, kernel);
  if (*pass.reduction) row.choice.values["reduction"] = pass.reduction;
  return row;
}

using PairKernels = ByName;

TEST_P(PairKernels, GiveTheNaiveConvolution) {
  const KernelVariant& variant = known_variant(GetParam(), "test");
  uint32_t seed = 20;
  int runs = 0, problems = 0;
  for (const Pass& pass : kPasses)
    for (const Math& dtype : float_dtypes())
      for (const char* direction : {"fprop", "dgrad"})
        for (const KernelShape& shape : kPairShapes) {
          Problem problem = parse_problem(
              std::string(shape.geometry) + " c1:1 " + dtype.name + " " + direction, "test");
          problem.c_in = shape.c_in;
          problem.c_out = shape.c_out;
          problem.bias = ++seed % 2 != 0;
          problems += dtype.dtype != Dtype::tf32x3;
          const Algorithm row = row_of(pass, GetParam());
          if (row.unsupported(problem)) continue;
          SCOPED_TRACE(std::string(pass.algorithm) + " " + pass.reduction + " " + to_text(problem));
          const VoxelSet voxels = naive::random_voxels({1, {9, 9, 9}}, shape.voxels, seed);
          const PlanDescription plan = expect_naive(row, problem, voxels, seed);
          EXPECT_EQ(plan.arithmetic.deterministic, !*pass.reduction);
          ++runs;
          if (HasFailure()) return;
        }
  if (variant.is_portable()) {
    EXPECT_EQ(runs, problems) << "runs everywhere";
  }
}

SPB_FOR_KERNELS(PairKernels, row_variants());

// Whole tiles of each offset's pairs.
TEST(PairPasses, CountWholeTiles) {
  const VoxelSet voxels = naive::random_voxels({1, {9, 9, 9}}, 300, 4);
  for (const char* direction : {"fprop", "dgrad"}) {
    const Problem problem =
        parse_problem(std::string("subm k3x3x3 s1x1x1 d1x1x1 c4:5 f32 ") + direction, "test");
    std::vector<int64_t> pairs(27);
    for (const Triple& t : naive::build_map(voxels, problem.geometry).triples)
      ++pairs[static_cast<size_t>(t.offset)];
    int64_t tiles = 0;
    for (const int64_t count : pairs) tiles += plans::tiles_of(count, 64);
    for (const char* name : {"fused_gather_scatter", "grouped_gemm"}) {
      DeviceRun device(forced(name, "fma_64x32x32"), problem, voxels);
      EXPECT_EQ(device.plan().description().executed_macs, double(64 * tiles * 20)) << name;
    }
  }
}

// Atomic sums are kept zero between runs.
TEST(PairPasses, RepeatWithoutALookInBetween) {
  const VoxelSet voxels = naive::random_voxels({1, {9, 9, 9}}, 300, 4);
  for (const Pass& pass : kPasses) {
    const Problem problem =
        parse_problem("subm k3x3x3 s1x1x1 d1x1x1 c12:20 f16 fprop bias", "test");
    DeviceRun device(row_of(pass, "fma_64x32x32"), problem, voxels);
    const naive::Inputs inputs = naive::integer_inputs(problem, device.n_in(), device.n_in(), 3);
    device.set_inputs(inputs);
    const std::vector<float> expected =
        naive::compute(problem, device.map(), device.n_in(), inputs);
    EXPECT_EQ(device.run(0x7F, 3), expected) << pass.algorithm << pass.reduction;
  }
}

TEST(PairPasses, SayWhichKernelsTheyLack) {
  const Problem problem = parse_problem("subm k3x3x3 s1x1x1 d1x1x1 c32:32 f16 fprop", "test");
  for (const Pass& pass : kPasses)
    for (const KernelVariant& variant : row_variants()) {
      const auto reason = row_of(pass, variant.name).unsupported(problem);
      if (std::string(variant.name).starts_with("halo")) {
        EXPECT_TRUE(reason) << pass.algorithm;
      }
      if (reason) {
        EXPECT_EQ(reason->find(std::string("kernel ") + variant.name), 0u) << *reason;
      }
    }
  EXPECT_TRUE(
      algorithm_named("fused_gather_scatter").unsupported(problem, {{{"reduction", "atomic"}}}));
  EXPECT_TRUE(algorithm_named("grouped_gemm").unsupported(problem, {{{"tile_order", "gray"}}}));
}

}  // namespace
}  // namespace spb
