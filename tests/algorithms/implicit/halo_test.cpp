// SPDX-License-Identifier: Apache-2.0
// Kernels that read halos, over several tiles and rounds, and others with rows along the z curve.
#include "algorithms/forced_run.h"
#include "algorithms/instances.h"
#include "kernels/gather_gemm/kernels.h"
#include "kernels/tiling.h"

namespace spb {
namespace {

constexpr const char* kGeometries[] = {
    "subm k3x3x3 s1x1x1 d1x1x1",   "subm k3x3x3 s1x1x1 d2x1x1",    "subm k1x3x5 s1x1x1 d1x1x1",
    "subm k1x1x1 s1x1x1 d1x1x1",   "strided k3x3x3 s2x2x2 d1x1x1", "strided k2x2x2 s2x2x2 d1x1x1",
    "strided k3x2x4 s2x1x3 d1x1x1"};

/// Sparse and full boxes: a full one has more neighbors than a round takes.
std::vector<VoxelSet> voxel_sets() {
  return {naive::random_voxels({2, {13, 14, 15}}, 900, 5),
          naive::random_voxels({1, {11, 12, 10}}, 1320, 6),
          naive::random_voxels({1, {100, 100, 100}}, 300, 7),
          naive::random_voxels({1, {9, 9, 9}}, 1, 8), naive::random_voxels({1, {0, 0, 0}}, 0, 9)};
}

/// A full box of more tiles than three blocks a multiprocessor of an H200.
VoxelSet many_full() { return naive::random_voxels({1, {48, 48, 48}}, 48 * 48 * 48, 6); }

Problem problem_of(const char* geometry, const char* channels, const char* dtype,
                   const char* direction) {
  return parse_problem(std::string(geometry) + " " + channels + " " + dtype + " " + direction,
                       "test");
}

/// Those of wgmma run on sm_90 alone.
constexpr const char* kHopper = "halo_256x32x32";
bool runs(const std::string& kernel) {
  const bool hopper_alone = kernel == kHopper || kernel.starts_with("halo_wgmma");
  return plans::architecture() == 90 || (!hopper_alone && plans::architecture() >= 80);
}

std::vector<std::string> halo_kernels() {
  std::vector<std::string> names;
  for (const plans::RowFamily& family : plans::row_families())
    if (family.takes_halos)
      for (const KernelVariant& variant : family.variants) names.push_back(variant.name);
  return names;
}

using HaloKernels = ByName;

TEST_P(HaloKernels, GiveRightResults) {
  if (!runs(GetParam())) GTEST_SKIP() << "needs a newer device";
  const bool narrow = find_variant(GetParam())->tile_k == 16;
  uint32_t seed = 0;
  for (const VoxelSet& voxels : voxel_sets())
    for (const char* geometry : kGeometries)
      for (const char* channels : {narrow ? "c16:16" : "c32:32", narrow ? "c8:16" : "c8:24"})
        for (const char* dtype : {"f16", "bf16"})
          for (const char* direction : {"fprop bias", "dgrad"}) {
            Problem problem = problem_of(geometry, channels, dtype, direction);
            problem.epilogue = naive::epilogue_of(problem, ++seed);
            SCOPED_TRACE(to_text(problem) + ", " + std::to_string(voxels.size()) + " voxels");
            const PlanDescription plan =
                expect_naive(forced("masked_implicit_gemm", GetParam()), problem, voxels, 3);
            EXPECT_NE(plan.params_json.find("\"order\":\"z\""), std::string::npos);
            if (HasFailure()) return;
          }
}

INSTANTIATE_TEST_SUITE_P(, HaloKernels, testing::ValuesIn(halo_kernels()), its_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(HaloKernels);  // of one vendor

// Blocks go from tile to tile, their lists a tile ahead; of a full box tiles take rounds. Many
// columns leave few blocks for all tiles; where there are 16, tiles are more than blocks.
TEST_P(HaloKernels, OfManyTilesGiveRightResults) {
  if (!runs(GetParam())) GTEST_SKIP() << "needs a newer device";
  const auto expect = [](const VoxelSet& voxels, const char* problem) {
    expect_naive(forced("masked_implicit_gemm", GetParam()), parse_problem(problem, "test"), voxels,
                 5);
  };
  if (find_variant(GetParam())->tile_n == 16) {  // which takes no more columns
    expect(many_full(), "subm k3x3x3 s1x1x1 d1x1x1 c8:16 f16 fprop");
    return;
  }
  const VoxelSet sparse = naive::random_voxels({1, {60, 60, 60}}, 8000, 5);
  expect(sparse, "subm k1x1x3 s1x1x1 d1x1x1 c8:1024 f16 fprop");
  const VoxelSet full = naive::random_voxels({1, {18, 17, 16}}, 4896, 6);
  expect(full, "subm k3x3x3 s1x1x1 d1x1x1 c8:1024 f16 fprop");
  expect(full, "subm k3x3x3 s1x1x1 d1x1x1 c1024:8 f16 dgrad");
}

TEST_P(HaloKernels, OfManyColumnsGiveRightResults) {
  if (!runs(GetParam())) GTEST_SKIP() << "needs a newer device";
  if (find_variant(GetParam())->tile_n == 16) GTEST_SKIP() << "takes 16 columns";
  const VoxelSet voxels = voxel_sets().front();
  for (const char* channels : {"c32:40", "c16:200"})
    expect_naive(forced("masked_implicit_gemm", GetParam()),
                 problem_of(kGeometries[0], channels, "f16", "fprop"), voxels, 4);
  expect_naive(forced("masked_implicit_gemm", GetParam()),
               problem_of(kGeometries[4], "c136:16", "bf16", "dgrad"), voxels, 4);
}

std::vector<std::string> halo_wgrad_kernels() {
  std::vector<std::string> names;
  for (const KernelVariant& variant : wgrad_variants())
    if (std::string_view(variant.name).starts_with("halo")) names.push_back(variant.name);
  return names;
}
using HaloWgrad = ByName;
constexpr const char* kWgradGeometries[] = {
    "subm k3x3x3 s1x1x1 d1x1x1",    "subm k3x3x3 s1x1x1 d2x1x1",    "subm k1x3x5 s1x1x1 d1x1x1",
    "strided k3x3x3 s2x2x2 d1x1x1", "strided k2x2x2 s2x2x2 d1x1x1", "inverse k3x3x3 s2x2x2 d1x1x1",
    "subm k1x1x1 s1x1x1 d1x1x1",    "subm k1x3x3 s1x1x1 d1x1x1",    "strided k2x3x3 s2x2x2 d1x1x1"};

TEST_P(HaloWgrad, GivesRightResults) {
  if (!runs(GetParam())) GTEST_SKIP() << "needs a newer device";
  const int most = find_variant(GetParam())->tile_n;
  const bool narrow = most == 16, wide = most == 64;
  for (const VoxelSet& voxels : voxel_sets())
    for (const char* geometry : kWgradGeometries)
      for (const char* channels : {narrow ? "c16:16"
                                   : wide ? "c64:64"
                                          : "c32:32",
                                   narrow ? "c8:16"
                                   : wide ? "c56:24"
                                          : "c24:8"})
        for (const char* dtype : {"f16", "bf16"}) {
          const Problem problem = problem_of(geometry, channels, dtype, "wgrad bias");
          SCOPED_TRACE(to_text(problem) + ", " + std::to_string(voxels.size()) + " voxels");
          expect_naive(forced("masked_implicit_gemm", GetParam()), problem, voxels, 3);
          if (HasFailure()) return;
        }
}

// More tiles than blocks, so that stages are filled anew while tiles take rounds.
TEST_P(HaloWgrad, OfManyTilesGivesRightResults) {
  if (!runs(GetParam())) GTEST_SKIP() << "needs a newer device";
  const bool wide = find_variant(GetParam())->tile_n == 64;
  const Problem problem = problem_of(kGeometries[0], wide ? "c40:24" : "c8:16", "f16", "wgrad");
  expect_naive(forced("masked_implicit_gemm", GetParam()), problem, many_full(), 5);
}

INSTANTIATE_TEST_SUITE_P(, HaloWgrad, testing::ValuesIn(halo_wgrad_kernels()), its_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(HaloWgrad);  // of one vendor

TEST(Halos, AreForFewChannelsAndOffsets) {
  if (!runs(kHopper)) GTEST_SKIP() << "needs sm_90";
  const char* kernel = kHopper;
  const auto reason = [&](const char* algorithm, const char* problem, const char* order = nullptr) {
    Algorithm halo = forced(algorithm, kernel);
    if (order) halo.choice.values["tile_order"] = order;
    return halo.unsupported(parse_problem(problem, "test")).value_or("");
  };
  constexpr const char* kFits = "subm k3x3x3 s1x1x1 d1x1x1 c32:64 f16 fprop";
  EXPECT_EQ(reason("masked_implicit_gemm", kFits), "");
  EXPECT_EQ(reason("masked_implicit_gemm", kFits, "z"), "");
  for (const std::string& refused :
       {reason("masked_implicit_gemm_splitk", kFits), reason("implicit_gemm", kFits),
        reason("masked_implicit_gemm", kFits, "gray"),
        reason("masked_implicit_gemm", "subm k3x3x3 s1x1x1 d1x1x1 c32:64 f16 dgrad"),
        reason("masked_implicit_gemm", "subm k5x5x5 s1x1x1 d1x1x1 c32:32 f16 fprop")})
    EXPECT_NE(refused.find("takes sums over up to 32 channels, 27 offsets"), std::string::npos)
        << refused;
  kernel = "halo_mma_256x16x16";
  EXPECT_EQ(reason("masked_implicit_gemm", "subm k3x3x3 s1x1x1 d1x1x1 c16:16 f16 fprop"), "");
  for (const char* channels : {"c16:24", "c24:16"}) {
    const std::string problem = std::string("subm k3x3x3 s1x1x1 d1x1x1 ") + channels + " f16 fprop";
    EXPECT_NE(reason("masked_implicit_gemm", problem.c_str()).find("16 channels and columns"),
              std::string::npos);
  }
}

// What a plan chooses itself keeps to an order that is asked for.
TEST(Halos, GiveWayToOtherOrders) {
  if (!runs(kHopper)) GTEST_SKIP() << "needs sm_90";
  const VoxelSet voxels = naive::random_voxels({1, {40, 40, 40}}, 20000, 5);
  const auto kernel = [&](const char* order, const char* channels = "c32:32") {
    const Problem problem = problem_of(kGeometries[0], channels, "f16", "fprop");
    Algorithm algorithm = algorithm_named("masked_implicit_gemm");
    if (order) algorithm.choice.values["tile_order"] = order;
    DeviceRun device(algorithm, problem, voxels);
    return device.plan().description().kernel;
  };
  EXPECT_EQ(kernel(nullptr), kHopper);
  EXPECT_EQ(kernel(nullptr, "c16:16"), "halo_mma_256x16x16");
  EXPECT_EQ(kernel(nullptr, "c16:32"), kHopper);
  EXPECT_EQ(kernel("gray").find("halo"), std::string::npos);
}

TEST(ZOrder, GivesRightResults) {
  const VoxelSet voxels = naive::random_voxels({2, {12, 11, 10}}, 700, 4);
  for (const char* geometry :
       {"subm k3x3x3 s1x1x1 d1x1x1", "subm k5x5x5 s1x1x1 d1x1x1", "strided k3x3x3 s2x2x2 d1x1x1"})
    for (const char* direction : {"fprop", "dgrad"})
      for (const int segments : {0, 3}) {
        const char* name = segments == 0 ? "masked_implicit_gemm" : "masked_implicit_gemm_splitk";
        Algorithm algorithm = forced(name, "fma_64x32x32");
        algorithm.choice.values["tile_order"] = "z";
        if (segments > 0) algorithm.choice.values["segments"] = std::to_string(segments);
        const Problem problem = problem_of(geometry, "c7:5", "f32", direction);
        SCOPED_TRACE(std::string(name) + " " + to_text(problem));
        const PlanDescription plan = expect_naive(algorithm, problem, voxels, 3);
        EXPECT_NE(plan.params_json.find("\"order\":\"z\""), std::string::npos);
      }
}

}  // namespace
}  // namespace spb
