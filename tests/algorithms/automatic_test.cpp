// SPDX-License-Identifier: Apache-2.0
// Whom "auto" takes, and that it says so. Its results are judged with everybody's (exact_test.cpp).
#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <tuple>

#include "algorithms/device_run.h"
#include "algorithms/implicit/kernel_support.h"
#include "maps/map_store.h"

namespace spb {
namespace {

Algorithm told(std::map<std::string, std::string, std::less<>> values) {
  Algorithm row = algorithm_named("auto");
  row.choice.values = std::move(values);
  return row;
}

std::string params(const Algorithm& row, const Problem& problem, int64_t voxels, int side = 0) {
  if (side == 0) side = voxels > 40 * 40 * 40 ? 100 : 40;
  const VoxelSet drawn = naive::random_voxels({1, {side, side, side}}, voxels, 1);
  return DeviceRun(row, problem, drawn).plan().description().params_json;
}

bool names(const std::string& params, const std::string& algorithm) {
  return params.find("{\"auto_algorithm\":\"" + algorithm + "\"") == 0;
}

TEST(Automatic, TakesWhatItIsTold) {
  const Problem problem = parsed_problem("subm k3x3x3 s1x1x1 d1x1x1 c8:8 f32 fprop");
  for (const char* other : {"explicit_gemm", "gather_scatter", "implicit_gemm"})
    EXPECT_TRUE(names(params(told({{"auto_algorithm", other}}), problem, 100), other)) << other;
  const std::string split = params(told({{"split", "3"}}), problem, 100);
  EXPECT_TRUE(names(split, "masked_implicit_gemm_splitk")) << split;
  EXPECT_NE(split.find("\"split\":3"), std::string::npos) << split;
}

TEST(Automatic, SplitsWhatIsShortAndDeep) {
  const auto taken = [](const char* text, int64_t voxels) {
    return params(told({}), parsed_problem(text), voxels);
  };
  EXPECT_TRUE(names(taken("subm k3x3x3 s1x1x1 d1x1x1 c64:8 f32 fprop", 200),
                    "masked_implicit_gemm_splitk"));
  EXPECT_TRUE(
      names(taken("subm k3x3x3 s1x1x1 d1x1x1 c8:8 f32 fprop", 200), "masked_implicit_gemm"));
  // Fine rows have an eighth of the offsets.
  EXPECT_TRUE(
      names(taken("inverse k3x3x3 s2x2x2 d1x1x1 c64:8 f32 fprop", 200), "masked_implicit_gemm"));
  EXPECT_TRUE(
      names(taken("subm k3x3x3 s1x1x1 d1x1x1 c8:8 f32 wgrad", 200), "masked_implicit_gemm_splitk"));
}

// By halos, where there are kernels that read them, what blocks write has to be little beside rows.
TEST(Automatic, TakesWgradByHalosOfFewChannelsManyRowsOrSurfaces) {
  const auto whole = [](const char* text, int64_t voxels, int side = 0) {
    return !names(params(told({}), parsed_problem(text), voxels, side),
                  "masked_implicit_gemm_splitk");
  };
  const bool present =
      plans::wgrad_reads_halos(parsed_problem("subm k3x3x3 s1x1x1 d1x1x1 c16:16 f16 wgrad"));
  EXPECT_EQ(whole("subm k3x3x3 s1x1x1 d1x1x1 c16:16 f16 wgrad", 200), present);
  EXPECT_FALSE(whole("subm k3x3x3 s1x1x1 d1x1x1 c16:16 f32 wgrad", 200));
  // Drawn, of which some are the same.
  for (const auto& [channels, few, many] :
       {std::tuple("c32:32", 200, 250'000), std::tuple("c64:64", 50'000, 250'000)}) {
    const std::string layer = "subm k3x3x3 s1x1x1 d1x1x1 " + std::string(channels) + " f16 wgrad";
    EXPECT_FALSE(whole(layer.c_str(), 200)) << layer;
    if (!plans::wgrad_reads_halos(parsed_problem(layer.c_str()))) continue;
    EXPECT_FALSE(whole(layer.c_str(), few)) << layer;
    EXPECT_TRUE(whole(layer.c_str(), many)) << layer;
    // Few for their box.
    EXPECT_EQ(whole(layer.c_str(), many, 600), std::string(channels) == "c32:32") << layer;
  }
  EXPECT_FALSE(whole("subm k1x1x3 s1x1x1 d1x1x1 c16:16 f16 wgrad", 200));
}

// What map_build times is what the plan reads.
TEST(Automatic, NeedsTheMapsOfWhomItTakes) {
  const gpu::Stream stream;
  gpu::Allocator allocator;
  const Problem problem = parsed_problem("subm k3x3x3 s1x1x1 d1x1x1 c64:64 f16 wgrad");
  for (const int side : {100, 600}) {
    const VoxelSet drawn = naive::random_voxels({1, {side, side, side}}, 250'000, 1);
    const maps::DeviceCoords coords = maps::upload(drawn, allocator, stream);
    maps::MapStore store({coords, problem.geometry}, allocator);
    const maps::MapNeeds needs = told({}).needs(problem, store, stream);
    EXPECT_EQ(std::ranges::any_of(needs.lists, &maps::ListNeeds::halos),
              side == 100 && plans::wgrad_reads_halos(problem))
        << side;
  }
}

TEST(Automatic, KnowsWhereHalosPay) {
  for (const auto& [least, of_surfaces, fewest, most] : {std::tuple{int64_t{0}, false, 8, 16},
                                                         {int64_t{200'000}, false, 24, 32},
                                                         {int64_t{60'000}, true, 40, 64}})
    for (const int channels : {fewest, most}) {
      const auto pay = plans::halos_pay(channels);
      ASSERT_TRUE(pay) << channels;
      EXPECT_EQ(pay->least_rows, least) << channels;
      EXPECT_EQ(pay->of_surfaces, of_surfaces) << channels;
    }
  EXPECT_FALSE(plans::halos_pay(72));
}

TEST(Automatic, GroupsThePairsOfFewRowsOfManyChannels) {
  const auto taken = [](const char* text, int64_t voxels) {
    return params(told({}), parsed_problem(text), voxels);
  };
  EXPECT_TRUE(names(taken("subm k1x1x3 s1x1x1 d1x1x1 c256:256 f32 fprop", 100), "grouped_gemm"));
  EXPECT_FALSE(names(taken("subm k1x1x3 s1x1x1 d1x1x1 c256:128 f32 fprop", 100), "grouped_gemm"));
  EXPECT_FALSE(names(taken("subm k1x1x3 s1x1x1 d1x1x1 c256:256 f32 wgrad", 100), "grouped_gemm"));
  EXPECT_TRUE(
      names(taken("subm k1x1x3 s1x1x1 d1x1x1 c512:512 f32 fprop g2", 100), "masked_implicit_gemm"));
}

TEST(Automatic, RefusesWhatTheOneRefusesThatItIsTold) {
  const Problem problem = parsed_problem("subm k3x3x3 s1x1x1 d1x1x1 c8:8 f32 fprop");
  const Algorithm both = told({{"auto_algorithm", "explicit_gemm"}, {"split", "3"}});
  EXPECT_EQ(both.unsupported(problem), "split 3: no choice of this algorithm");
  EXPECT_NE(told({{"auto_algorithm", "auto"}}).unsupported(problem), std::nullopt);
  EXPECT_NE(told({{"auto_algorithm", "best"}}).unsupported(problem), std::nullopt);
}

TEST(Automatic, ChoicesAreThoseOfAllOthersOnce) {
  const Algorithm& row = algorithm_named("auto");
  const SizedProblem sized{parsed_problem("subm k3x3x3 s1x1x1 d1x1x1 c8:8 f32 fprop"), 1000, 1000,
                           9000};
  std::set<std::string> taken;
  std::set<std::map<std::string, std::string, std::less<>>> seen;
  for (const Choice& choice : row.choices(sized, ChoiceRange::likely)) {
    EXPECT_EQ(row.unsupported(sized.problem, choice), std::nullopt);
    EXPECT_TRUE(seen.insert(choice.values).second);
    taken.insert(*choice.find("auto_algorithm"));
  }
  for (const Algorithm& other : algorithms())
    EXPECT_EQ(taken.contains(other.name), !other.by_name_only && !other.unsupported(sized.problem))
        << other.name;
}

}  // namespace
}  // namespace spb
