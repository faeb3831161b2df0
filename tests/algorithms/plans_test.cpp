// SPDX-License-Identifier: Apache-2.0
// What each algorithm claims about itself: that it splits, skips, chunks, repeats.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <set>

#include "algorithms/device_run.h"
#include "algorithms/explicit_gemm/budget.h"
#include "algorithms/forced.h"
#include "algorithms/instances.h"
#include "gpu/gemm.h"
#include "kernels/tiling.h"
#include "kernels/wgrad/tiles.h"

namespace spb {
namespace {

const VoxelSet& cloud() {
  static const VoxelSet voxels = naive::random_voxels({1, {16, 16, 16}}, 900, 7);
  return voxels;
}

int param(const PlanDescription& description, const std::string& name) {
  const std::string key = "\"" + name + "\":";
  return std::stoi(description.params_json.substr(description.params_json.find(key) + key.size()));
}
int split_of(const PlanDescription& description) { return param(description, "split"); }

naive::Inputs random_inputs(const Problem& problem, DeviceRun& device) {
  naive::Inputs inputs = naive::integer_inputs(problem, device.n_in(), device.n_out(), 5);
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (auto* values : {&inputs.in, &inputs.weights, &inputs.bias, &inputs.gout})
    for (float& value : *values) value = round_operand(normal(random), problem.dtype);
  return inputs;
}

using PlansOf = ByName;
SPB_FOR_ALGORITHMS(PlansOf);

TEST(Registry, ListsEachOnce) {
  std::set<std::string> names;
  for (const Algorithm& algorithm : algorithms())
    EXPECT_TRUE(names.insert(algorithm.name).second) << algorithm.name;
  for (const char* name :
       {"explicit_gemm", "gather_scatter", "implicit_gemm", "implicit_gemm_splitk",
        "masked_implicit_gemm", "masked_implicit_gemm_splitk", "split_masked_implicit_gemm",
        "fused_gather_scatter", "grouped_gemm", "depthwise"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(Registry, RefusesWhatIsNoConvolution) {
  Problem problem;
  problem.geometry.kernel_size = {2, 2, 2};
  for (const Algorithm& algorithm : algorithms()) EXPECT_TRUE(algorithm.unsupported(problem));
}

// 3xtf32 is never another arithmetic under its name: kernels of tensor cores run, or none.
TEST(Registry, RefusesThreeTf32ProductsWithAReason) {
  const bool tensor_cores = plans::architecture() >= 80;
  for (const Algorithm& algorithm : algorithms())
    for (const char* direction : {"fprop", "dgrad", "wgrad"})
      for (const char* channels : {"c16:32 ", "c3:17 "}) {
        const Problem problem = parsed_problem(std::string("subm k3x3x3 s1x1x1 d1x1x1 ") +
                                               channels + "3xtf32 " + direction);
        const auto reason = algorithm.unsupported(problem);
        SCOPED_TRACE(std::string(algorithm.name) + " " + to_text(problem));
        if (!(algorithm.claim.dtypes & claim_of(Dtype::tf32x3)))
          EXPECT_EQ(reason, "takes no dtype 3xtf32");
        else if (tensor_cores)
          EXPECT_EQ(reason, std::nullopt);
        else
          EXPECT_NE(reason.value_or("").find("needs an NVIDIA GPU of sm_80 or newer"),
                    std::string::npos)
              << reason.value_or("supported");
      }
}

// Either operand rounded to TF32 is off by ten times as much; tensor cores' sums drift less.
TEST(Plans, OfThreeTf32ProductsAreAsGoodAsOfFp32) {
  for (const char* name : {"implicit_gemm", "implicit_gemm_splitk", "masked_implicit_gemm",
                           "masked_implicit_gemm_splitk"})
    for (const char* direction : {"fprop", "dgrad", "wgrad"})
      for (const char* channels : {"c64:32 ", "c17:5 "}) {
        const Problem problem = parsed_problem(std::string("subm k3x3x3 s1x1x1 d1x1x1 ") +
                                               channels + "3xtf32 " + direction + " bias");
        const Algorithm& algorithm = algorithm_named(name);
        if (const auto reason = algorithm.unsupported(problem)) GTEST_SKIP() << *reason;
        DeviceRun device(algorithm, problem, cloud());
        const naive::Inputs inputs = random_inputs(problem, device);
        device.set_inputs(inputs);
        const std::vector<float> got = device.run(0xFF);
        EXPECT_EQ(got, device.run(0x00));
        const std::vector<float> expected =
            naive::compute(problem, device.map(), device.n_in(), inputs);
        for (size_t i = 0; i < got.size(); ++i)
          ASSERT_NEAR(got[i], expected[i], 2e-3) << name << " " << to_text(problem) << " " << i;
      }
}

// What fp32 makes of them, although x less an infinite part of it is no number.
TEST(Plans, OfThreeTf32ProductsKeepInfinities) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kMost = std::numeric_limits<float>::max();
  struct Row {
    float in, weight, out;
  };
  const Row rows[] = {{kInf, 1, kInf},
                      {-kInf, 0x1.234568p9f, -kInf},
                      {kInf, -0x1.fffffep-20f, -kInf},
                      {kInf, kInf, kInf},
                      {-kInf, kInf, -kInf},
                      {kInf, 0, kNan},
                      {3, -kInf, -kInf},
                      {kNan, 1, kNan},
                      {2, kNan, kNan},
                      {kMost, 2, kInf},
                      {0x1.234568p9f, 0x1p-20f, 0x1.234568p-11f}};
  for (const Row& row : rows) {
    const VoxelSet one{{{0, 1, 1, 1}}, {1, {3, 3, 3}}, {}};
    const Problem problem = parsed_problem("subm k1x1x1 s1x1x1 d1x1x1 c1:1 3xtf32 fprop");
    const Algorithm& algorithm = algorithm_named("masked_implicit_gemm");
    if (const auto reason = algorithm.unsupported(problem)) GTEST_SKIP() << *reason;
    DeviceRun device(algorithm, problem, one);
    device.set_inputs({{row.in}, {row.weight}, {0}, {0}});
    const float got = device.run().at(0);
    if (std::isnan(row.out))
      EXPECT_TRUE(std::isnan(got)) << row.in << " * " << row.weight << " = " << got;
    else
      EXPECT_EQ(got, row.out) << row.in << " * " << row.weight;
  }
}

// One wait to read statuses and lengths; where the number of outputs is not known, one for it.
TEST_P(PlansOf, WaitForTheDeviceOnce) {
  gpu::Allocator allocator;
  const gpu::Stream stream;
  const maps::DeviceCoords coords = maps::upload(cloud(), allocator, stream);
  const Algorithm& algorithm = algorithm_named(GetParam());
  for (const char* direction : {"fprop", "dgrad", "wgrad"})
    for (const auto& [geometry, waits] :
         {std::pair("subm k3x3x3 s1x1x1 d1x1x1", 1), {"strided k3x3x3 s2x2x2 d1x1x1", 2}}) {
      const Problem problem = taken_by(
          algorithm, parsed_problem(std::string(geometry) + " c16:16 f16 " + direction + " bias"));
      const int64_t before = stream.waits();
      const auto plan = algorithm.plan(problem, coords, allocator, stream);
      EXPECT_EQ(stream.waits() - before, waits)
          << algorithm.name << ", " << geometry << " " << direction;
    }
}

TEST_P(PlansOf, RepeatRealNumbersBitForBit) {
  const Algorithm& algorithm = algorithm_named(GetParam());
  for (const char* direction : {"fprop", "dgrad", "wgrad"}) {
    const Problem problem =
        taken_by(algorithm, parsed_problem(std::string("strided k3x3x3 s2x2x2 d1x1x1 c20:24 f32 ") +
                                           direction + " bias"));
    DeviceRun device(algorithm, problem, cloud());
    const naive::Inputs inputs = random_inputs(problem, device);
    device.set_inputs(inputs);
    const std::vector<float> first = device.run(0xFF), again = device.run(0x00);
    EXPECT_EQ(first, again) << algorithm.name << " " << direction;
    const std::vector<float> expected =
        naive::compute(problem, device.map(), device.n_in(), inputs);
    for (size_t i = 0; i < first.size(); ++i)
      ASSERT_NEAR(first[i], expected[i], 1e-3) << algorithm.name << " " << direction << " " << i;
  }
}

TEST(Plans, SplitWhereverThereAreTwoSteps) {
  for (const char* name : {"implicit_gemm_splitk", "masked_implicit_gemm_splitk"})
    for (const char* direction : {"fprop", "dgrad"}) {
      const Problem problem =
          parsed_problem(std::string("subm k3x3x3 s1x1x1 d1x1x1 c16:16 f16 ") + direction);
      DeviceRun device(algorithm_named(name), problem, cloud());
      const int split = param(device.plan().description(), "split");
      EXPECT_GE(split, 2);
      EXPECT_EQ(device.allocator().counts().live_by_tag[int(gpu::Tag::workspace)],
                4 * split * device.n_in() * 16);
    }
  DeviceRun single(algorithm_named("implicit_gemm_splitk"),
                   parsed_problem("subm k1x1x1 s1x1x1 d1x1x1 c16:16 f32 fprop"), cloud());
  EXPECT_EQ(param(single.plan().description(), "split"), 1);
}

TEST(Plans, SplitLongPairListsOfWgrad) {
  for (const char* name : {"implicit_gemm_splitk", "masked_implicit_gemm_splitk"}) {
    DeviceRun device(algorithm_named(name),
                     parsed_problem("subm k1x1x1 s1x1x1 d1x1x1 c16:16 f16 wgrad"), cloud());
    const PlanDescription& description = device.plan().description();
    EXPECT_GE(split_of(description), 2);
    EXPECT_EQ(
        device.allocator().counts().live_by_tag[int(gpu::Tag::workspace)],
        4 * split_of(description) * param(description, "tile_m") * param(description, "tile_n"));
  }
}

TEST(Plans, ImplicitNeedsWorkspaceByHalosAlone) {
  for (const char* name : {"implicit_gemm", "masked_implicit_gemm"})
    for (const char* direction : {"fprop", "dgrad", "wgrad"}) {
      DeviceRun device(
          algorithm_named(name),
          parsed_problem(std::string("subm k3x3x3 s1x1x1 d1x1x1 c16:16 f16 ") + direction),
          cloud());
      // By halos each block writes sums of its own.
      const PlanDescription& description = device.plan().description();
      const bool by_halos = std::string_view(direction) == "wgrad" &&
                            std::string_view(description.kernel).starts_with("halo_");
      EXPECT_EQ(device.allocator().counts().live_by_tag[int(gpu::Tag::workspace)],
                by_halos ? 4 * split_of(description) * 27 * 16 * 16 : 0)
          << name << " " << direction;
    }
}

// Of kernels that leave out absent slots pairs are counted, of others every slot of every entry.
TEST(Plans, CountPairsWhereAbsentSlotsAreLeftOut) {
  int ran = 0;
  for (const plans::WgradTile& tile : plans::kWgradTiles) {
    if (tile.slots == 1) continue;
    Problem problem = parsed_problem("subm k3x3x3 s1x1x1 d1x1x1 c64:64 f16 wgrad");
    for (const Math& dtype : float_dtypes())
      if (tile.variant.dtypes & dtype_bit(dtype.dtype)) problem.dtype = dtype.dtype;
    problem.c_in = tile.variant.tile_n / tile.slots;
    const Algorithm row = forced("masked_implicit_gemm_splitk", tile.variant.name);
    if (row.unsupported(problem)) continue;
    SCOPED_TRACE(tile.variant.name);
    DeviceRun device(row, problem, cloud());
    const auto pairs =
        static_cast<double>(naive::build_map(cloud(), problem.geometry).triples.size());
    const double rows =
        device.plan().description().executed_macs / (double(problem.c_in) * problem.c_out);
    if (leaves_out_slots(tile))
      EXPECT_EQ(rows, pairs);
    else
      EXPECT_GT(rows, pairs);
    ++ran;
  }
  if (ran == 0) GTEST_SKIP() << "not of this device";
}

TEST(Plans, CountTheWorkTheyDo) {
  const auto rows = [](const char* name, const char* direction) {
    DeviceRun device(algorithm_named(name),
                     parsed_problem(std::string("subm k3x3x3 s1x1x1 d1x1x1 c4:5 f32 ") + direction),
                     cloud());
    return device.plan().description().executed_macs / 20;
  };
  const auto n = static_cast<double>(cloud().size());
  const auto pairs = static_cast<double>(
      naive::build_map(cloud(), parsed_problem("subm k3x3x3 s1x1x1 d1x1x1 c1:1 f32 fprop").geometry)
          .triples.size());
  // Whole tiles, whose height the plan tells.
  const auto tiled = [&](const char* name, const char* direction) {
    DeviceRun device(algorithm_named(name),
                     parsed_problem(std::string("subm k3x3x3 s1x1x1 d1x1x1 c4:5 f32 ") + direction),
                     cloud());
    const double tile_m = param(device.plan().description(), "tile_m");
    return std::ceil(n / tile_m) * tile_m * 27;
  };
  for (const char* direction : {"fprop", "dgrad", "wgrad"}) {
    EXPECT_EQ(rows("explicit_gemm", direction), n * 27);
    EXPECT_EQ(rows("gather_scatter", direction), pairs);
  }
  EXPECT_EQ(rows("implicit_gemm", "fprop"), tiled("implicit_gemm", "fprop"));
  EXPECT_EQ(rows("implicit_gemm_splitk", "dgrad"), tiled("implicit_gemm_splitk", "dgrad"));
  EXPECT_EQ(rows("implicit_gemm", "wgrad"), n * 27);
  EXPECT_EQ(rows("masked_implicit_gemm", "wgrad"), pairs);
  EXPECT_LT(rows("masked_implicit_gemm", "fprop"), tiled("masked_implicit_gemm", "fprop"));
  EXPECT_GE(rows("masked_implicit_gemm", "fprop"), pairs);
}

TEST(ExplicitGemm, ChunksGiveTheSame) {
  for (const char* direction : {"fprop", "dgrad", "wgrad"}) {
    const Problem problem =
        parsed_problem(std::string("subm k3x3x3 s1x1x1 d1x1x1 c6:7 bf16 ") + direction + " bias");
    const Algorithm& algorithm = algorithm_named("explicit_gemm");
    DeviceRun whole(algorithm, problem, cloud());
    const naive::Inputs inputs = naive::integer_inputs(problem, whole.n_in(), whole.n_in(), 11);
    whole.set_inputs(inputs);
    const int64_t budget = std::exchange(plans::im2col_budget_bytes, 27 * 7 * 2 * 100);
    DeviceRun chunked(algorithm, problem, cloud());
    plans::im2col_budget_bytes = budget;
    chunked.set_inputs(inputs);
    EXPECT_NE(whole.plan().description().params_json, chunked.plan().description().params_json);
    EXPECT_EQ(whole.run(), chunked.run()) << direction;
  }
}

// Isolated voxels have nothing but the center: a weight of NaN at another offset shows who
// multiplies by it.
TEST_P(PlansOf, SkipWhatNoTileListsAndNothingElse) {
  const VoxelSet isolated{{{0, 1, 1, 1}, {0, 9, 9, 9}, {0, 1, 9, 5}}, {1, {12, 12, 12}}, {}};
  const Algorithm& algorithm = algorithm_named(GetParam());
  for (const char* direction : {"fprop", "dgrad"}) {
    const Problem problem = taken_by(
        algorithm, parsed_problem(std::string("subm k3x3x3 s1x1x1 d1x1x1 c2:1 f32 ") + direction));
    DeviceRun device(algorithm, problem, isolated);
    naive::Inputs inputs = naive::integer_inputs(problem, 3, 3, 19);
    for (size_t i = 0; i < inputs.weights.size(); ++i)
      if (i / static_cast<size_t>(problem.group_c_in()) % 27 != 13)
        inputs.weights[i] = std::numeric_limits<float>::quiet_NaN();
    device.set_inputs(inputs);
    const std::vector<float> expected = naive::compute(problem, device.map(), 3, inputs);
    const std::string name = algorithm.name;
    const bool takes_all = name.starts_with("implicit") || name.starts_with("explicit");
    const std::vector<float> result = device.run();
    for (size_t i = 0; i < result.size(); ++i)
      if (takes_all)
        EXPECT_TRUE(std::isnan(result[i])) << name << " " << direction;
      else
        EXPECT_EQ(result[i], expected[i]) << name << " " << direction;
  }
}

// An absent row is not a row times zero: NaN stays where its voxel is a neighbor.
TEST_P(PlansOf, NanStaysInItsNeighborhood) {
  const Algorithm& algorithm = algorithm_named(GetParam());
  for (const char* direction : {"fprop", "dgrad"}) {
    const Problem problem = taken_by(
        algorithm,
        parsed_problem(std::string("strided k3x3x3 s2x2x2 d1x1x1 c3:35 f32 ") + direction));
    DeviceRun device(algorithm, problem, cloud());
    naive::Inputs inputs = naive::integer_inputs(problem, device.n_in(), device.n_out(), 13);
    const std::vector<float> clean = naive::compute(problem, device.map(), device.n_in(), inputs);
    const bool fprop = problem.direction == Direction::fprop;
    const auto c_in = static_cast<size_t>(problem.c_in), c_out = static_cast<size_t>(problem.c_out);
    const size_t read = fprop ? c_in : c_out, written = fprop ? c_out : c_in, victim = 20;
    std::vector<float>& source = fprop ? inputs.in : inputs.gout;
    for (size_t c = 0; c < read; ++c)
      source[victim * read + c] = std::numeric_limits<float>::quiet_NaN();
    std::set<size_t> touched;
    for (const Triple& t : device.map().triples)
      if (static_cast<size_t>(fprop ? t.in : t.out) == victim)
        touched.insert(static_cast<size_t>(fprop ? t.out : t.in));
    device.set_inputs(inputs);
    const std::vector<float> dirty = device.run();
    for (size_t i = 0; i < dirty.size(); ++i)
      if (touched.count(i / written))
        ASSERT_TRUE(std::isnan(dirty[i])) << algorithm.name;
      else
        ASSERT_EQ(dirty[i], clean[i]) << algorithm.name << " row " << i / written;
  }
}

}  // namespace
}  // namespace spb
