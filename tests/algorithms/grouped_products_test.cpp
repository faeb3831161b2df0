// SPDX-License-Identifier: Apache-2.0
// gather_scatter of all offsets at once, by products of several sizes in one call.
#include <string>

#include "algorithms/forced_run.h"
#include "gpu/device_info.h"

namespace spb {
namespace {

constexpr const char *kAlgorithm = "gather_scatter", *kKernel = "cublas_grouped";

// Odd channels, offsets without pairs, rows without pairs, more pairs of an offset than rows apart,
// one voxel, none. Up to 16 channels: products of small integers are exact in bf16.
constexpr KernelShape kGroupedShapes[] = {
    {"subm k3x3x3 s1x1x1 d1x1x1", 400, 16, 8},    {"subm k3x3x3 s1x1x1 d1x1x1", 150, 13, 3},
    {"subm k5x5x5 s1x1x1 d1x1x1", 130, 8, 11},    {"strided k1x1x1 s2x2x2 d1x1x1", 300, 4, 16},
    {"strided k2x2x2 s2x2x2 d1x1x1", 300, 1, 9},  {"strided k3x3x3 s2x2x2 d2x2x2", 90, 12, 16},
    {"subm k1x1x1 s1x1x1 d1x1x1", 100, 16, 16},   {"subm k3x3x3 s1x1x1 d1x1x1", 2, 16, 16},
    {"subm k3x3x3 s1x1x1 d1x1x1", 0, 16, 16},     {"strided k2x2x2 s2x2x2 d1x1x1", 0, 8, 8},
    {"inverse k3x3x3 s2x2x2 d1x1x1", 200, 8, 12}, {"generative k2x2x2 s2x2x2 d1x1x1", 60, 16, 8}};

class GroupedProducts : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(GroupedProducts, GiveTheNaiveConvolution) {
  const auto& [direction, dtype] = GetParam();
  uint32_t seed = 40;
  int runs = 0;
  for (const KernelShape& shape : kGroupedShapes)
    runs += run_forced(known_variant(kKernel, "test"), kAlgorithm, shape, dtype, direction, ++seed);
  EXPECT_TRUE(runs > 0 && (!gpu::on_host() || runs == std::ssize(kGroupedShapes))) << runs;
}

// What is stored in 16 bits before it is added, and only that, is another arithmetic.
TEST_P(GroupedProducts, SayWhatIsRoundedBeforeItIsAdded) {
  const auto& [direction, dtype] = GetParam();
  const Problem problem = parse_problem(
      std::string("subm k3x3x3 s1x1x1 d1x1x1 c16:8 ") + dtype + " " + direction, "test");
  DeviceRun device(forced(kAlgorithm, kKernel), problem,
                   naive::random_voxels({1, {5, 5, 5}}, 30, 3));
  const PlanDescription& plan = device.plan().description();
  const bool narrow = info(problem.dtype).output().bytes == 2;
  EXPECT_EQ(class_of(plan.arithmetic), narrow && problem.direction != Direction::wgrad
                                           ? std::string(dtype) + "+partials=" + dtype
                                           : dtype);
  EXPECT_TRUE(plan.arithmetic.deterministic);
}

INSTANTIATE_TEST_SUITE_P(All, GroupedProducts,
                         testing::Combine(testing::Values("fprop", "dgrad", "wgrad"),
                                          testing::Values("f32", "tf32", "f16", "bf16")),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) + "_" +
                                  std::get<1>(test.param);
                         });

// One product for each offset that has pairs, each of its pairs alone; wgrad sums over rows of
// zeros, too, up to a multiple of 64.
TEST(GroupedProductsOf, OffsetsThatHavePairs) {
  const VoxelSet two{{{0, 1, 1, 1}, {0, 1, 1, 2}}, {1, {4, 4, 4}}, {}};
  for (const auto& [direction, rows] : {std::pair("fprop", 4), {"dgrad", 4}, {"wgrad", 3 * 64}}) {
    const Problem problem =
        parse_problem(std::string("subm k3x3x3 s1x1x1 d1x1x1 c8:16 f32 ") + direction, "test");
    DeviceRun device(forced(kAlgorithm, kKernel), problem, two);
    EXPECT_EQ(device.plan().description().params_json, "{\"products\":3}");
    EXPECT_EQ(device.plan().description().executed_macs, rows * 8 * 16.0);
  }
}

TEST(GroupedProductsOf, NoOtherAlgorithm) {
  for (const Algorithm& algorithm : algorithms()) {
    const Problem problem =
        taken_by(algorithm, parse_problem("subm k3x3x3 s1x1x1 d1x1x1 c16:16 f16 fprop", "test"));
    const std::string reason = algorithm.unsupported(problem, {{{"kernel", kKernel}}}).value_or("");
    if (algorithm.name == std::string(kAlgorithm) || algorithm.by_name_only)
      EXPECT_EQ(reason, "");
    else if (algorithm.choices && algorithm.claim.groups & claim_of(GroupKind::one))
      EXPECT_EQ(reason,
                "kernel cublas_grouped is of dense products; this algorithm multiplies tiles");
    else
      EXPECT_FALSE(reason.empty()) << algorithm.name;
  }
  const Problem problem = parse_problem("subm k3x3x3 s1x1x1 d1x1x1 c16:16 f16 fprop", "test");
  EXPECT_EQ(forced(kAlgorithm, "fma_64x32x32").unsupported(problem),
            "kernel fma_64x32x32 multiplies tiles; this algorithm leaves products to a library");
}

// Libraries load 16 bytes at a time from addresses that they cannot look at.
TEST(GroupedProductsOf, ChannelsThatAreAligned) {
  for (const auto& [dtype, multiple] : {std::pair("f16", 8), {"bf16", 8}, {"tf32", 4}, {"f32", 1}})
    for (int c_in = 1; c_in <= 16; ++c_in) {
      Problem problem =
          parse_problem(std::string("subm k3x3x3 s1x1x1 d1x1x1 c1:3 ") + dtype + " dgrad", "test");
      problem.c_in = c_in;
      const auto reason = forced(kAlgorithm, kKernel).unsupported(problem);
      if (gpu::on_host() || c_in % multiple == 0) {
        EXPECT_EQ(reason, std::nullopt);
      } else {
        EXPECT_EQ(reason->find("kernel cublas_grouped needs c_in in "), 0u) << *reason;
      }
    }
}

}  // namespace
}  // namespace spb
