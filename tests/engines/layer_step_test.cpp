// SPDX-License-Identifier: Apache-2.0
#include "engines/native/layer_step.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "algorithms/implicit/kernel_support.h"
#include "algorithms/named.h"
#include "data/generate.h"

namespace spb::engines {
namespace {

/// Unset operands of a submanifold layer's three directions.
struct LayerOperands {
  std::vector<DeviceOperands> of;
  std::array<Operands, 3> pointers;

  LayerOperands(const Problem& layer, int64_t rows, gpu::Allocator& allocator) {
    for (const Problem& problem : layer_problems(layer)) {
      of.emplace_back(problem, MapSize{rows, rows}, allocator);
      pointers[of.size() - 1] = of.back().pointers();
    }
  }
};

TEST(LayerStep, AStepBuildsItsMapsOnce) {
  const VoxelSet voxels = data::generate("sphere:16");
  const gpu::Stream stream;
  gpu::Allocator allocator;
  const maps::DeviceCoords coords = maps::upload(voxels, allocator, stream);
  const int64_t n = voxels.size();
  for (const Algorithm& algorithm : algorithms()) {
    const Problem problem = taken_by(algorithm, {.geometry = {}, .c_in = 8, .c_out = 8});
    const LayerOperands operands(problem, n, allocator);
    LayerStep step(step_algorithms(algorithm, problem, coords.view()), problem, coords,
                   operands.pointers, allocator, stream);
    const int64_t before = allocator.counts().live_bytes;
    step.run(2);
    EXPECT_EQ(step.map_builds(), 1) << algorithm.name;
    step.release();
    EXPECT_EQ(allocator.counts().live_bytes, before) << algorithm.name;
  }
}

// Plans that may wait, as those of plug-ins, are made on the stream that they run on.
TEST(LayerStep, PlansAreMadeBesideWhereTheyMay) {
  const VoxelSet voxels = data::generate("sphere:8");
  const gpu::Stream stream;
  gpu::Allocator allocator;
  const maps::DeviceCoords coords = maps::upload(voxels, allocator, stream);
  const int64_t n = voxels.size();
  const Problem layer{.geometry = {}, .c_in = 8, .c_out = 8};
  const LayerOperands operands(layer, n, allocator);
  // Lists, pairs; a table alone, of which plans work out nothing.
  for (const char* name : {"masked_implicit_gemm_splitk", "gather_scatter", "implicit_gemm"})
    for (const bool apart : {true, false}) {
      std::vector<const gpu::Stream*> streams;
      StepAlgorithms algorithms = step_algorithms(algorithm_named(name), layer, coords.view());
      for (Algorithm& algorithm : algorithms) {
        algorithm.plans_apart = apart;
        algorithm.plan_with = [&streams, plan = algorithm.plan_with](const spb::Case& of,
                                                                     const maps::Maps& maps,
                                                                     maps::BuildContext context) {
          streams.push_back(&context.stream);
          return plan(of, maps, context);
        };
      }
      LayerStep(algorithms, layer, coords, operands.pointers, allocator, stream).run(2);
      ASSERT_EQ(streams.size(), 3u) << name;
      EXPECT_EQ(streams[0], &stream) << name;
      const bool beside = apart && std::string_view(name) != "implicit_gemm";
      for (size_t i = 1; i < 3; ++i) EXPECT_EQ(streams[i] != &stream, beside) << name << apart;
    }
}

// Of a solid halos take rounds, which the host learns of while fprop runs without them.
TEST(LayerStep, RunsAgainWhatReadHalosWithoutTheirRounds) {
  constexpr int32_t kEdge = 21;
  VoxelSet voxels{{}, {1, {kEdge, kEdge, kEdge}}, {}};
  for (int32_t i = 0; i < kEdge * kEdge * kEdge; ++i)
    voxels.coords.push_back({0, i / (kEdge * kEdge), i / kEdge % kEdge, i % kEdge});
  const gpu::Stream stream;
  gpu::Allocator allocator;
  const maps::DeviceCoords coords = maps::upload(voxels, allocator, stream);
  const Problem sixteen{.geometry = {}, .c_in = 16, .c_out = 16, .dtype = Dtype::f16};
  for (const char* name : {"depthwise", "masked_implicit_gemm"}) {
    const Algorithm& algorithm = algorithm_named(name);
    const Problem layer = taken_by(algorithm, sixteen);
    Problem wgrad = layer;
    wgrad.direction = Direction::wgrad;
    // On host only depthwise layers read halos.
    if (layer.groups == 1 && !plans::layer_reads_halos(wgrad)) continue;
    maps::MapStore store({coords, layer.geometry}, allocator);
    store.get_ahead(algorithm.needs(layer, store, stream), stream);
    ASSERT_TRUE(store.settle()) << name;

    const LayerOperands operands(layer, voxels.size(), allocator);
    for (const gpu::Tag tag : {gpu::Tag::input, gpu::Tag::weight})
      allocator.poison(tag, 0x3C, stream);  // 1.06 of f16
    LayerStep(step_algorithms(algorithm, layer, coords.view()), layer, coords, operands.pointers,
              allocator, stream)
        .run(1);
    const uint64_t in_a_step = operands.of.front().output_hash(stream);
    allocator.poison(gpu::Tag::output, 0xFF, stream);
    algorithm.plan(layer, coords, allocator, stream)->run(operands.pointers.front(), stream);
    EXPECT_EQ(in_a_step, operands.of.front().output_hash(stream)) << name;
  }
}

// wgrad by halos where the other directions read them, too; what was chosen for these leaves it.
TEST(LayerStep, TakesItsOwnWgradByHalosAlone) {
  const Algorithm& row = algorithm_named("masked_implicit_gemm");
  const auto wgrad_of = [&](const Algorithm& algorithm, Dtype dtype, int channels,
                            int64_t voxels = 1000, int32_t edge = 10) {
    const Problem problem{.geometry = {}, .c_in = channels, .c_out = channels, .dtype = dtype};
    const maps::RowCoords rows{nullptr, voxels, {1, {edge, edge, edge}}};
    return std::string(step_algorithms(algorithm, problem, rows).back().name);
  };
  Problem layer{.geometry = {}, .c_in = 16, .c_out = 16, .dtype = Dtype::f16};
  layer.direction = Direction::wgrad;
  const bool halos = plans::layer_reads_halos(layer);
  EXPECT_EQ(wgrad_of(row, Dtype::f16, 16) == row.name, halos);
  EXPECT_EQ(wgrad_of(row, Dtype::f16, 64), "masked_implicit_gemm_splitk");
  EXPECT_EQ(wgrad_of(row, Dtype::f32, 16), "masked_implicit_gemm_splitk");
  // Of surfaces by halos that wgrad alone reads.
  Problem wide{.geometry = {}, .c_in = 64, .c_out = 64, .dtype = Dtype::f16};
  wide.direction = Direction::wgrad;
  const bool reads = plans::wgrad_reads_halos(wide);
  EXPECT_EQ(wgrad_of(row, Dtype::f16, 64, 1'000'000, 512) == row.name, reads);
  EXPECT_EQ(wgrad_of(row, Dtype::f16, 64, 60'000, 128) == row.name, reads);
  EXPECT_EQ(wgrad_of(row, Dtype::f16, 64, 59'999, 128), "masked_implicit_gemm_splitk");
  // As many that are few for their box.
  EXPECT_EQ(wgrad_of(row, Dtype::f16, 64, 1'000'000, 1001), "masked_implicit_gemm_splitk");
  // fprop reads halos, dgrad sums over too many channels.
  layer.c_out = 64;
  EXPECT_FALSE(plans::layer_reads_halos(layer));
  Algorithm told = row;
  told.choice.values["kernel"] = row_variants().front().name;
  EXPECT_EQ(wgrad_of(told, Dtype::f16, 16), "masked_implicit_gemm_splitk");
}

// Whoever runs wgrad in a step, whatever the algorithm itself would read.
TEST(LayerStep, MapsAreThoseOfItsDirections) {
  const VoxelSet voxels = data::generate("sphere:16");
  const gpu::Stream stream;
  gpu::Allocator allocator;
  const maps::DeviceCoords coords = maps::upload(voxels, allocator, stream);
  const Algorithm& row = algorithm_named("masked_implicit_gemm");
  for (const int channels : {16, 64})
    for (const int64_t of_voxels : {int64_t{1000}, int64_t{1'000'000}}) {
      const Problem layer{.geometry = {}, .c_in = channels, .c_out = channels, .dtype = Dtype::f16};
      maps::MapStore store({coords, layer.geometry}, allocator);
      const maps::RowCoords rows{nullptr, of_voxels, voxels.box};
      const maps::MapNeeds needs = layer_needs(row, layer, rows, store, stream);
      const bool own = step_algorithms(row, layer, rows).back().name == row.name;
      EXPECT_EQ(needs.pairs || needs.groups > 1, !own) << channels << ", " << of_voxels;
      EXPECT_EQ(std::ranges::any_of(needs.lists, [](const auto& lists) { return lists.halos; }),
                own)
          << channels << ", " << of_voxels;
    }
}

}  // namespace
}  // namespace spb::engines
