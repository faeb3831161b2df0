// SPDX-License-Identifier: Apache-2.0
#include "algorithms/implicit/choices.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "algorithms/device_run.h"
#include "algorithms/instances.h"

namespace spb {
namespace {

SizedProblem sized(const Problem& problem, const VoxelSet& voxels) {
  const MapSet map = naive::build_map(voxels, problem.geometry);
  return {problem, voxels.size(), static_cast<int64_t>(map.out_coords.size()),
          static_cast<int64_t>(map.triples.size())};
}

/// With groups that the algorithm takes.
Problem problem_of(const Algorithm& algorithm, const std::string& text) {
  return taken_by(algorithm, parse_problem(text, "test"));
}

bool has_knob(const Algorithm& algorithm, std::string_view name) {
  return std::ranges::any_of(algorithm.knobs, [&](const Knob& knob) { return knob.name == name; });
}

// Whatever a tuner is told to try runs, does as it is told, and is right.
using ChoicesOf = ByName;

TEST_P(ChoicesOf, PlansAreTakenAndRight) {
  const VoxelSet voxels = naive::random_voxels({1, {8, 8, 8}}, 150, 9);
  int planned = 0;
  const Algorithm& algorithm = algorithm_named(GetParam());
  if (!algorithm.choices) GTEST_SKIP() << "nothing to choose";
  if (algorithm.by_name_only) GTEST_SKIP() << "its choices are those of the others";
  for (const char* geometry : {"subm k3x3x3 s1x1x1 d1x1x1", "strided k2x2x2 s2x2x2 d1x1x1"})
    for (const char* direction : {"fprop", "dgrad", "wgrad"}) {
      const SizedProblem problem =
          sized(problem_of(algorithm, std::string(geometry) + " c40:24 f16 " + direction), voxels);
      std::vector<Choice> seen;
      for (const Choice& choice : algorithm.choices(problem, ChoiceRange::all)) {
        EXPECT_EQ(std::ranges::find(seen, choice), seen.end());
        seen.push_back(choice);
        Algorithm chosen = algorithm;
        chosen.choice = choice;
        ASSERT_EQ(chosen.unsupported(problem.problem), std::nullopt);
        DeviceRun device(chosen, problem.problem, voxels);
        const PlanDescription& description = device.plan().description();
        SCOPED_TRACE(std::string(algorithm.name) + " " + to_text(problem.problem) + " " +
                     description.kernel + " " + description.params_json);
        if (has_knob(algorithm, "kernel")) {
          ASSERT_NE(choice.find("kernel"), nullptr);
          EXPECT_EQ(description.kernel, *choice.find("kernel"));
        }
        const auto says = [&](const std::string& text) {
          return description.params_json.find(text) != std::string::npos;
        };
        for (const char* number : {"split", "segments"}) {
          const std::string* value = choice.find(number);
          EXPECT_TRUE(!value || *value == "1" ||
                      says(std::string("\"") + number + "\":" + *value + ","));
        }
        for (const char* word : {"tile_order", "gather"}) {
          const std::string* value = choice.find(word);
          EXPECT_TRUE(!value || says("\"" + *value + "\""));
        }
        const naive::Inputs inputs =
            naive::integer_inputs(problem.problem, device.n_in(), device.n_out(), 21);
        device.set_inputs(inputs);
        EXPECT_EQ(device.run(),
                  naive::compute(problem.problem, device.map(), device.n_in(), inputs));
        ++planned;
      }
    }
  const bool takes_orders = has_knob(algorithm, "tile_order");
  // Two portable kernels, two geometries, three directions; several orders where rows are sorted.
  EXPECT_GE(planned, takes_orders ? 30 : 12);
}

TEST(Choices, BeyondWhatPlansCountAreRefused) {
  const Problem problem = parse_problem("subm k3x3x3 s1x1x1 d1x1x1 c8:8 f32 fprop", "test");
  const Algorithm& algorithm = algorithm_named("masked_implicit_gemm_splitk");
  EXPECT_EQ(algorithm.unsupported(problem, {{{"split", "64"}, {"segments", "1"}}}), std::nullopt);
  EXPECT_NE(algorithm.unsupported(problem, {{{"split", "64"}, {"segments", "2"}}}), std::nullopt);
  EXPECT_NE(algorithm.unsupported(problem, {{{"kernel", "fma_64x32x32"}, {"segments", "2"}}}),
            std::nullopt)
      << "portable kernels take slices";
  EXPECT_NE(algorithm.unsupported(problem, {{{"split", "65"}}}), std::nullopt);
  EXPECT_NE(
      algorithm.unsupported(problem, {{{"segments", std::to_string(maps::kMostSegments + 1)}}}),
      std::nullopt);
}

// Beyond the rows for which plans take no segments of their own.
TEST(Choices, OfASplitLeavesNoSegments) {
  const VoxelSet voxels = naive::random_voxels({1, {24, 24, 24}}, 9000, 5);
  Algorithm algorithm = algorithm_named("masked_implicit_gemm_splitk");
  algorithm.choice.values["split"] = "3";
  const Problem problem = parse_problem("subm k3x3x3 s1x1x1 d1x1x1 c8:8 f32 fprop", "test");
  DeviceRun device(algorithm, problem, voxels);
  const std::string params = device.plan().description().params_json;
  EXPECT_NE(params.find("\"split\":3,"), std::string::npos) << params;
  EXPECT_EQ(params.find("segments"), std::string::npos) << params;
}

TEST(Choices, OfSlowPlansAreForManyRuns) {
  const Problem problem = parse_problem("subm k3x3x3 s1x1x1 d1x1x1 c64:64 f32 fprop", "test");
  const SizedProblem sized{problem, 20000, 20000, 160000};
  for (const char* name : {"masked_implicit_gemm", "masked_implicit_gemm_splitk"}) {
    const auto has_greedy = [&](ChoiceRange range) {
      const std::vector<Choice> choices = algorithm_named(name).choices(sized, range);
      return std::ranges::any_of(choices, [](const Choice& choice) {
        const std::string* order = choice.find("tile_order");
        return order && *order == "greedy";
      });
    };
    EXPECT_FALSE(has_greedy(ChoiceRange::likely));
    EXPECT_TRUE(has_greedy(ChoiceRange::likely_for_many_runs));
    EXPECT_TRUE(has_greedy(ChoiceRange::all));
  }
}

TEST_P(ChoicesOf, PlansBeginWithWhatTheyWouldTake) {
  const VoxelSet voxels = naive::random_voxels({1, {16, 16, 16}}, 900, 7);
  const Algorithm& algorithm = algorithm_named(GetParam());
  if (!algorithm.choices) GTEST_SKIP() << "nothing to choose";
  if (algorithm.by_name_only) GTEST_SKIP() << "its choices are those of the others";
  for (const char* direction : {"fprop", "dgrad", "wgrad"})
    for (const char* dtype : {"f32", "f16"}) {
      const SizedProblem problem =
          sized(problem_of(algorithm, std::string("subm k3x3x3 s1x1x1 d1x1x1 c64:64 ") + dtype +
                                          " " + direction),
                voxels);
      const std::vector<Choice> likely = algorithm.choices(problem, ChoiceRange::likely);
      ASSERT_GE(likely.size(), 2u);
      EXPECT_LE(likely.size(), 16u);
      EXPECT_LE(likely.size(), algorithm.choices(problem, ChoiceRange::all).size());
      DeviceRun device(algorithm, problem.problem, voxels);
      if (has_knob(algorithm, "kernel")) {
        EXPECT_EQ(device.plan().description().kernel, *likely.front().find("kernel"));
      }
      std::set<std::string> plans;  // different choices are different plans
      for (const Choice& choice : likely) {
        Algorithm chosen = algorithm;
        chosen.choice = choice;
        const PlanDescription plan =
            DeviceRun(chosen, problem.problem, voxels).plan().description();
        EXPECT_TRUE(plans.insert(plan.kernel + plan.params_json).second)
            << algorithm.name << " " << direction << ": " << plan.kernel << plan.params_json;
      }
    }
}

SPB_FOR_ALGORITHMS(ChoicesOf);

}  // namespace
}  // namespace spb
