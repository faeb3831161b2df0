// SPDX-License-Identifier: Apache-2.0
// Segments that are added up in any order, by every kernel that can.
#include "algorithms/forced_run.h"
#include "algorithms/instances.h"
#include "kernels/gather_gemm/kernels.h"
#include "kernels/tiling.h"

namespace spb {
namespace {

constexpr const char* kSplit = "masked_implicit_gemm_splitk";

Algorithm adding(const KernelVariant& variant) {
  Algorithm row = forced(kSplit, variant.name);
  row.choice.values["reduction"] = "atomic";
  return row;
}

using AtomicReduction = ByName;

TEST_P(AtomicReduction, GivesTheNaiveConvolution) {
  constexpr KernelShape kAtomicShapes[] = {{"subm k3x3x3 s1x1x1 d1x1x1", 300, 64, 256},
                                           {"subm k3x3x3 s1x1x1 d1x1x1", 700, 136, 72},
                                           {"subm k5x5x5 s1x1x1 d1x1x1", 200, 32, 128},
                                           {"strided k2x2x2 s2x2x2 d1x1x1", 300, 128, 264},
                                           {"strided k3x3x3 s2x2x2 d1x1x1", 100, 64, 128},
                                           {"subm k1x1x1 s1x1x1 d1x1x1", 130, 64, 128},
                                           {"subm k3x3x3 s1x1x1 d1x1x1", 1, 64, 128},
                                           {"subm k3x3x3 s1x1x1 d1x1x1", 0, 64, 128}};
  int runs = 0;
  const KernelVariant& variant = known_variant(GetParam(), "test");
  for (const char* dtype : {"f16", "bf16", "tf32", "3xtf32"})
    for (const char* direction : {"fprop", "dgrad"})
      for (const KernelShape& shape : kAtomicShapes) {
        Problem problem =
            parse_problem(std::string(shape.geometry) + " c1:1 " + dtype + " " + direction, "test");
        problem.c_in = shape.c_in;
        problem.c_out = shape.c_out;
        problem.bias = ++runs % 2 != 0;
        const Algorithm algorithm = adding(variant);
        SCOPED_TRACE(to_text(problem));
        if (algorithm.unsupported(problem)) {
          --runs;
          continue;
        }
        const VoxelSet voxels = naive::random_voxels({1, {9, 9, 9}}, shape.voxels, 7);
        const PlanDescription plan = expect_naive(algorithm, problem, voxels, 7);
        EXPECT_FALSE(plan.arithmetic.deterministic);
        EXPECT_NE(plan.params_json.find("\"reduction\":\"atomic\""), std::string::npos);
      }
  if (plans::architecture() != 90) {
    EXPECT_EQ(runs, 0);
  }
  if (runs == 0) GTEST_SKIP() << "adds to memory only on sm_90, and not in every kernel";
}

SPB_FOR_KERNELS(AtomicReduction, row_variants());

TEST(AtomicReductions, AreThoseOfSeveralKernels) {
  if (plans::architecture() != 90) GTEST_SKIP() << "kernels that add to memory are of sm_90";
  const Problem problem = parse_problem("subm k3x3x3 s1x1x1 d1x1x1 c64:256 f16 fprop", "test");
  int can = 0;
  for (const KernelVariant& variant : row_variants()) can += !adding(variant).unsupported(problem);
  EXPECT_GE(can, 2);  // of 256 and of 128 columns
}

TEST(AtomicReductions, AreRefusedWithAReasonElsewhere) {
  for (const Algorithm& row : algorithms())
    for (const char* direction : {"fprop", "wgrad"}) {
      Algorithm algorithm = row;
      algorithm.choice.values["reduction"] = "atomic";
      const Problem problem = taken_by(
          row,
          parse_problem(std::string("subm k3x3x3 s1x1x1 d1x1x1 c64:64 f32 ") + direction, "test"));
      const auto reason = algorithm.unsupported(problem);
      // Of pairs portable kernels add up, too, where a device has no others.
      const bool may_be_pairs = std::string(row.name) == "grouped_gemm" || row.by_name_only;
      if (!reason && may_be_pairs && plans::architecture() < 80) continue;
      ASSERT_TRUE(reason) << row.name << " " << direction;
      EXPECT_NE(reason->find("atomic"), std::string::npos) << *reason;
    }
}

}  // namespace
}  // namespace spb
