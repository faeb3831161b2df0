// SPDX-License-Identifier: Apache-2.0
// Every kernel of wgrad that this device runs, whatever the choice would be.
#include <gtest/gtest.h>
#include <iterator>
#include <span>

#include "algorithms/forced_run.h"
#include "algorithms/instances.h"
#include "gpu/device_info.h"
#include "kernels/kernel_variants.h"

namespace spb {
namespace {

// Tails in both channels and in the rows, fewer steps than stages, lists of many steps, several
// words of masks, a last group with fewer offsets, channels that tiles of several offsets take,
// many pieces without a step (consumers that took turns for them once hung there), groups of
// channels, more steps than stages of which a consumer has nothing to multiply (a stage that it
// kept meanwhile once stopped the others).
const KernelShape kWgradShapes[] = {
    {"subm k3x3x3 s1x1x1 d1x1x1", 400, 64, 64},
    {"subm k3x3x3 s1x1x1 d1x1x1", 700, 128, 128},
    {"subm k3x3x3 s1x1x1 d1x1x1", 130, 64, 200},
    {"subm k3x3x3 s1x1x1 d1x1x1", 100, 264, 72},
    {"subm k3x3x3 s1x1x1 d1x1x1", 150, 17, 3},
    {"strided k2x2x2 s2x2x2 d1x1x1", 300, 128, 24},
    {"strided k3x3x3 s2x2x2 d1x1x1", 200, 64, 33},
    {"subm k5x5x5 s1x1x1 d1x1x1", 130, 64, 8},
    {"subm k1x1x1 s1x1x1 d1x1x1", 100, 128, 64},
    {"subm k3x3x3 s1x1x1 d1x1x1", 0, 64, 64},
    {"strided k3x3x3 s1x1x1 d1x1x1", 1, 128, 16},
    {"subm k5x5x5 s1x1x1 d1x1x1", 1, 128, 32},
    {"subm k3x3x3 s1x1x1 d1x1x1", 150, 64, 96, 4},
    {"subm k3x3x3 s1x1x1 d1x1x1", 100, 51, 9, 3},
    {"strided k3x3x3 s2x2x2 d1x1x1", 90, 144, 272, 2},
    {"subm k1x1x1 s1x1x1 d1x1x1", 1500, 64, 64},
    {"subm k1x1x1 s1x1x1 d1x1x1", 1500, 128, 64},
};

// The host's twins of AMD's matrix cores take microseconds for each of their instructions.
const KernelShape kWgradTwinShapes[] = {
    {"subm k3x3x1 s1x1x1 d1x1x1", 150, 17, 3},      {"subm k3x1x1 s1x1x1 d1x1x1", 400, 64, 72},
    {"strided k2x1x2 s2x1x2 d1x1x1", 300, 24, 136}, {"subm k1x1x1 s1x1x1 d1x1x1", 100, 140, 8},
    {"subm k3x3x3 s1x1x1 d1x1x1", 0, 64, 64},       {"strided k3x3x1 s1x1x1 d1x1x1", 1, 16, 16},
    {"subm k3x1x1 s1x1x1 d1x1x1", 150, 64, 96, 4},  {"subm k3x1x1 s1x1x1 d1x1x1", 100, 51, 9, 3},
};
std::span<const KernelShape> wgrad_shapes_of(const KernelVariant& variant) {
  if (variant.chips && gpu::on_host()) return kWgradTwinShapes;
  return kWgradShapes;
}

using WgradKernels = ByName;

TEST_P(WgradKernels, EqualTheNaiveConvolution) {
  const KernelVariant& variant = known_variant(GetParam(), "test");
  uint32_t seed = 900;
  for (const Math& dtype : float_dtypes()) {
    if (!(variant.dtypes & dtype_bit(dtype.dtype))) continue;
    int planned = 0;
    for (const KernelShape& shape : wgrad_shapes_of(variant)) {
      // The portable kernels may run on a CPU, thread by thread.
      const bool large = shape.voxels * shape.c_in * shape.c_out > 1000000;
      if (large && variant.is_portable()) continue;
      for (const char* name : {"implicit_gemm", "masked_implicit_gemm", "implicit_gemm_splitk",
                               "masked_implicit_gemm_splitk"}) {
        planned += run_forced(variant, name, shape, dtype.name, "wgrad", ++seed);
        if (HasFailure()) return;
      }
    }
    if (variant.is_portable()) {
      EXPECT_EQ(planned, 4 * 10);
    } else if (variant.chips) {
      EXPECT_EQ(planned, is_present(variant) ? 4 * std::ssize(wgrad_shapes_of(variant)) : 0);
    }
  }
}

// Units that blocks share: the sums of a slice go to the group that it is of.
TEST_P(WgradKernels, AddUpTheSlicesOfEachGroup) {
  const KernelVariant& variant = known_variant(GetParam(), "test");
  const VoxelSet voxels = naive::random_voxels({1, {16, 16, 16}}, 3000, 950);
  for (const Math& dtype : float_dtypes()) {
    Problem problem = parse_problem(
        std::string("subm k1x1x1 s1x1x1 d1x1x1 c24:48 ") + dtype.name + " wgrad", "test");
    problem.groups = 3;
    const Algorithm row = forced("masked_implicit_gemm_splitk", variant.name);
    if (row.unsupported(problem)) continue;
    SCOPED_TRACE(std::string(variant.name) + " " + dtype.name);
    const std::string params = expect_naive(row, problem, voxels, 951).params_json;
    EXPECT_EQ(params.find("\"split\":1,"), std::string::npos) << params;
    if (HasFailure()) return;
  }
}

SPB_FOR_KERNELS(WgradKernels, wgrad_variants());

}  // namespace
}  // namespace spb
