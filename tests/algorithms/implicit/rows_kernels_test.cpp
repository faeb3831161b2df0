// SPDX-License-Identifier: Apache-2.0
// Every kernel of fprop and dgrad that this device runs, whatever the choice would be.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "algorithms/forced_run.h"
#include "algorithms/instances.h"
#include "gpu/device_info.h"
#include "kernels/gather_gemm/kernels.h"
#include "kernels/gather_gemm/sm80/tiles.h"
#include "kernels/tiling.h"

namespace spb {
namespace {

// Wide and narrow loads, tails in depth and columns, fewer steps than stages, several words of
// masks, groups of channels with wide and narrow rows and tails.
const KernelShape kRowShapes[] = {
    {"subm k3x3x3 s1x1x1 d1x1x1", 270, 64, 128},
    {"subm k3x3x3 s1x1x1 d1x1x1", 100, 128, 264},
    {"subm k3x3x3 s1x1x1 d1x1x1", 150, 17, 3},
    {"subm k3x3x3 s1x1x1 d1x1x1", 200, 100, 40},
    {"strided k2x2x2 s2x2x2 d1x1x1", 300, 24, 72},
    {"strided k3x3x3 s2x2x2 d1x1x1", 200, 1, 33},
    {"subm k5x5x5 s1x1x1 d1x1x1", 130, 8, 16},
    {"subm k1x1x1 s1x1x1 d1x1x1", 100, 32, 64},
    {"subm k3x3x3 s1x1x1 d1x1x1", 0, 16, 16},
    {"subm k3x3x3 s1x1x1 d1x1x1", 150, 64, 96, 4},
    {"subm k3x3x3 s1x1x1 d1x1x1", 100, 51, 9, 3},
    {"strided k3x3x3 s2x2x2 d1x1x1", 90, 144, 80, 2},
    {"inverse k2x2x2 s2x2x2 d1x1x1", 60, 8, 32, 4},
};

// The host's twins of AMD's matrix cores take microseconds for each of their instructions.
const KernelShape kTwinShapes[] = {
    {"subm k3x3x3 s1x1x1 d1x1x1", 90, 64, 72},    {"subm k3x3x3 s1x1x1 d1x1x1", 70, 17, 3},
    {"strided k2x2x2 s2x2x2 d1x1x1", 70, 24, 72}, {"subm k1x1x1 s1x1x1 d1x1x1", 140, 33, 136},
    {"subm k3x3x3 s1x1x1 d1x1x1", 0, 16, 16},     {"strided k3x3x3 s2x2x2 d1x1x1", 60, 24, 16, 2},
};
std::span<const KernelShape> shapes_of(const KernelVariant& variant) {
  if (variant.chips && gpu::on_host()) return kTwinShapes;
  return kRowShapes;
}

class RowKernels : public ByName {
 protected:
  const KernelVariant& variant() const { return known_variant(GetParam(), "test"); }
  bool takes(Dtype dtype) const { return variant().dtypes & dtype_bit(dtype); }
};

/// Whether a kernel of sm_80 has an instance of groups.
bool takes_groups(const std::string& kernel) {
  for (const plans::Sm80RowTile& tile : plans::kSm80RowTiles)
    if (kernel == tile.name) return tile.groups;
  return kernel.starts_with("fma_");
}

TEST_P(RowKernels, EqualTheNaiveConvolution) {
  uint32_t seed = 40;
  int of_groups = 0;
  for (const Math& dtype : float_dtypes()) {
    if (!takes(dtype.dtype)) continue;
    for (const KernelShape& shape : shapes_of(variant()))
      for (const char* direction : {"fprop", "dgrad"})
        for (const char* name :
             {"implicit_gemm", "masked_implicit_gemm", "masked_implicit_gemm_splitk"}) {
          const bool ran = run_forced(variant(), name, shape, dtype.name, direction, ++seed);
          if (HasFailure()) return;
          of_groups += ran && shape.groups > 1;
        }
  }
  if (variant().chips) {
    EXPECT_EQ(of_groups > 0, is_present(variant()));
    return;
  }
  EXPECT_EQ(of_groups > 0,
            takes_groups(GetParam()) && (plans::architecture() >= 80 || variant().min_arch == 0));
}

// Of whatever kernel the plan takes for them.
TEST(RowSegments, EqualTheNaiveConvolution) {
  constexpr struct {
    const char* geometry;
    int groups;
  } kLayers[] = {{"subm k3x3x3 s1x1x1 d1x1x1", 1},
                 {"subm k5x5x5 s1x1x1 d1x1x1", 1},
                 {"strided k3x3x3 s2x2x2 d1x1x1", 1},
                 {"subm k3x3x3 s1x1x1 d1x1x1", 2}};
  uint32_t seed = 0;
  for (const Math& dtype : float_dtypes())
    for (const char* direction : {"fprop", "dgrad"})
      for (const auto& layer : kLayers) {
        Problem problem = parse_problem(
            std::string(layer.geometry) + " c16:24 " + dtype.name + " " + direction + " bias",
            "test");
        problem.c_in *= layer.groups;
        problem.c_out *= layer.groups;
        problem.groups = layer.groups;
        problem.epilogue = naive::epilogue_of(problem, ++seed);
        SCOPED_TRACE(to_text(problem));
        Algorithm algorithm = algorithm_named("masked_implicit_gemm_splitk");
        algorithm.choice = {.values = {{"segments", "4"}}, .source = ChoiceSource::forced};
        if (problem.dtype == Dtype::tf32x3 && algorithm.unsupported(problem)) continue;
        const VoxelSet voxels = naive::random_voxels({1, {18, 18, 18}}, 2300, 77);
        DeviceRun device(algorithm, problem, voxels);
        if (plans::architecture() >= 80) {
          EXPECT_NE(device.plan().description().params_json.find("\"segments\":4"),
                    std::string::npos);
        }
        const naive::Inputs inputs =
            naive::integer_inputs(problem, device.n_in(), device.n_out(), 78);
        device.set_inputs(inputs);
        const std::vector<float> expected =
            naive::compute(problem, device.map(), device.n_in(), inputs);
        for (const uint8_t poison : std::initializer_list<uint8_t>{0xFF, 0x7F})
          ASSERT_EQ(device.run(poison), expected) << "poison " << int{poison};
      }
}

// Enough row tiles for hands of different length, several column tiles, a tail of both.
TEST_P(RowKernels, OfSegmentsEqualTheNaiveConvolution) {
  const bool twin = variant().chips && gpu::on_host();
  const VoxelSet voxels = naive::random_voxels({1, {12, 12, 12}}, twin ? 150 : 1500, 79);
  uint32_t seed = 80;
  for (const Math& dtype : float_dtypes()) {
    if (!takes(dtype.dtype)) continue;
    for (const char* direction : {"fprop", "dgrad"})
      for (const int segments : {2, 3, maps::kMostSegments}) {
        const bool fprop = std::string(direction) == "fprop";
        Problem problem = parse_problem(std::string("subm k3x3x3 s1x1x1 d1x1x1 c") +
                                            (twin    ? "24:40 "
                                             : fprop ? "24:264 "
                                                     : "264:24 ") +
                                            dtype.name + " " + direction,
                                        "test");
        problem.bias = ++seed % 2 != 0;
        problem.epilogue = naive::epilogue_of(problem, seed);
        Algorithm algorithm = forced("masked_implicit_gemm_splitk", GetParam());
        algorithm.choice.values["segments"] = std::to_string(segments);
        if (algorithm.unsupported(problem)) continue;
        SCOPED_TRACE(GetParam() + ", " + std::to_string(segments) +
                     " segments: " + to_text(problem));
        const PlanDescription plan = expect_naive(algorithm, problem, voxels, seed);
        if (GetParam().starts_with("wgmma")) {
          EXPECT_NE(plan.params_json.find("\"segments\":" + std::to_string(segments)),
                    std::string::npos)
              << plan.params_json;
          EXPECT_EQ(plan.arithmetic.adds_to_memory,
                    segments > 2 && known_variant(GetParam(), "test").tile_n >= 128);
        }
        if (HasFailure()) return;
      }
  }
}

SPB_FOR_KERNELS(RowKernels, row_variants());

TEST(RowVariants, AreTakenWhereTheyAreChosen) {
  const plans::RowWork work{Dtype::f16, false, 1000, 64, 64, 27, false};
  const KernelVariant* chosen = find_variant("fma_64x32x32");
  EXPECT_STREQ(plans::choose_row_kernel(work, chosen).variant().name, "fma_64x32x32");
}

TEST(RowVariants, AreRankedOnceEachAndTheFirstIsChosen) {
  for (const Math& dtype : float_dtypes())
    for (const int columns : {32, 64, 256}) {
      const plans::RowWork work{dtype.dtype, false, 5000, 64, columns, 27, false, true};
      const std::vector<plans::RowKernel> ranked = plans::rank_row_kernels(work);
      if (dtype.dtype == Dtype::tf32x3 && plans::architecture() < 80) {
        EXPECT_TRUE(ranked.empty());
        continue;
      }
      std::set<std::string> names;
      for (const plans::RowKernel& kernel : ranked) names.insert(kernel.variant().name);
      EXPECT_EQ(names.size(), ranked.size());
      EXPECT_GE(ranked.size(), 2u);
      EXPECT_STREQ(plans::choose_row_kernel(work).variant().name, ranked.front().variant().name);
    }
}

TEST(RowSplit, IsAtLeastTwoAndNeverMoreThanTheSteps) {
  for (const int64_t rows : {1, 192, 4000, 300000})
    for (const int depth : {1, 32, 64, 1024})
      for (const double offsets : {1.0, 2.0, 12.5, 343.0}) {
        const plans::RowWork work{Dtype::f32, false, rows, depth, 64, offsets, true};
        const plans::RowKernel kernel = plans::choose_row_kernel(work);
        const int split = plans::choose_row_split(kernel, work);
        const double steps =
            std::floor(offsets * ((depth + kernel.variant().tile_k - 1) / kernel.variant().tile_k));
        EXPECT_GE(split, std::min(2.0, steps));
        EXPECT_LE(split, std::max(1.0, steps));
      }
}

}  // namespace
}  // namespace spb
