// SPDX-License-Identifier: Apache-2.0
// Every algorithm, direction and dtype on many small problems: equal to the naive convolution bit
// for bit, whatever the memory held before, twice.
#include <algorithm>
#include <gtest/gtest.h>

#include "algorithms/device_run.h"

namespace spb {
namespace {

struct ExactShape {
  const char* geometry;  // of to_text(Problem), up to the channels
  Box box;
  int64_t voxels;
  int c_in, c_out;
};

const ExactShape kExactShapes[] = {
    {"subm k1x1x1 s1x1x1 d1x1x1", {1, {8, 8, 8}}, 100, 5, 3},
    {"subm k3x3x3 s1x1x1 d1x1x1", {1, {9, 9, 9}}, 300, 16, 32},
    {"subm k3x3x3 s1x1x1 d1x1x1", {3, {6, 5, 4}}, 150, 3, 17},
    {"subm k3x3x3 s1x1x1 d2x1x3", {2, {9, 9, 9}}, 200, 17, 1},
    {"subm k3x3x3 s1x1x1 d1x1x1", {1, {40, 40, 40}}, 70, 1, 1},
    {"subm k3x3x3 s1x1x1 d1x1x1", {1, {4, 4, 4}}, 60, 100, 65},
    {"subm k5x5x5 s1x1x1 d1x1x1", {1, {7, 7, 7}}, 130, 4, 34},
    {"subm k7x7x7 s1x1x1 d1x1x1", {2, {7, 7, 7}}, 80, 2, 3},
    {"subm k1x3x5 s1x1x1 d1x1x1", {1, {6, 6, 6}}, 90, 8, 8},
    {"subm k3x3x3 s1x1x1 d1x1x1", {1, {5, 5, 5}}, 1, 16, 16},
    {"subm k3x3x3 s1x1x1 d1x1x1", {1, {5, 5, 5}}, 0, 4, 4},
    {"strided k2x2x2 s2x2x2 d1x1x1", {2, {9, 9, 9}}, 250, 17, 40},
    {"strided k3x3x3 s2x2x2 d1x1x1", {1, {10, 9, 8}}, 200, 6, 5},
    {"strided k3x3x3 s2x2x2 d2x2x2", {1, {10, 10, 10}}, 120, 9, 3},
    {"strided k1x1x1 s2x2x2 d1x1x1", {1, {8, 8, 8}}, 60, 7, 2},
    {"strided k5x5x5 s3x1x2 d1x1x1", {1, {7, 6, 5}}, 60, 3, 4},
    {"strided k3x3x3 s1x1x1 d1x1x1", {1, {5, 5, 5}}, 1, 2, 33},
    {"strided k2x2x2 s2x2x2 d1x1x1", {1, {5, 5, 5}}, 0, 3, 2},
    {"inverse k2x2x2 s2x2x2 d1x1x1", {2, {9, 9, 9}}, 250, 40, 17},
    {"inverse k3x3x3 s2x2x2 d1x1x1", {1, {10, 9, 8}}, 200, 6, 5},
    {"inverse k3x1x4 s2x3x1 d2x1x1", {1, {10, 9, 8}}, 150, 8, 16},
    {"inverse k2x2x2 s2x2x2 d1x1x1", {1, {5, 5, 5}}, 1, 2, 33},
    {"inverse k2x2x2 s2x2x2 d1x1x1", {1, {5, 5, 5}}, 0, 3, 2},
    {"generative k2x2x2 s2x2x2 d1x1x1", {2, {6, 6, 6}}, 60, 17, 9},
    {"generative k3x3x3 s2x2x2 d1x1x1", {1, {6, 5, 4}}, 40, 6, 5},
    {"generative k3x3x3 s1x1x1 d1x2x1", {1, {6, 5, 4}}, 30, 8, 16},
    {"generative k2x2x2 s2x2x2 d1x1x1", {1, {5, 5, 5}}, 0, 3, 2},
};

struct Target {
  std::string algorithm;
  Direction direction;
  Dtype dtype;
};

std::vector<Target> all_targets() {
  std::vector<Target> targets;
  for (const Algorithm& algorithm : algorithms())
    for (const Direction direction : {Direction::fprop, Direction::dgrad, Direction::wgrad})
      for (const Math& dtype : float_dtypes())
        targets.push_back({algorithm.name, direction, dtype.dtype});
  return targets;
}

std::string target_name(const testing::TestParamInfo<Target>& target) {
  return target.param.algorithm + "_" + name(target.param.direction) + "_" +
         info(target.param.dtype).name;
}

void PrintTo(const Target& target, std::ostream* out) {
  *out << target.algorithm << ' ' << name(target.direction) << ' ' << info(target.dtype).name;
}

/// Whether every device computes the dtype by the algorithm: 3xtf32 takes tensor cores.
bool is_everywhere(const Algorithm& algorithm, Dtype dtype) {
  return dtype != Dtype::tf32x3 && (algorithm.claim.dtypes & claim_of(dtype)) != 0;
}

class Exact : public testing::TestWithParam<Target> {};

TEST_P(Exact, EqualsTheNaiveConvolution) {
  uint32_t seed = 1;
  for (const ExactShape& shape : kExactShapes) {
    Problem problem = parse_problem(std::string(shape.geometry) + " c1:1 f32 fprop", "test");
    problem.c_in = shape.c_in;
    problem.c_out = shape.c_out;
    problem.dtype = GetParam().dtype;
    problem.direction = GetParam().direction;
    problem.bias = ++seed % 3 != 0;
    problem.epilogue = naive::epilogue_of(problem, seed);
    const Algorithm& algorithm = algorithm_named(GetParam().algorithm);
    problem = taken_by(algorithm, problem);
    SCOPED_TRACE(to_text(problem) + ", " + std::to_string(shape.voxels) + " voxels");
    const auto reason = algorithm.unsupported(problem);
    if (reason && !is_everywhere(algorithm, problem.dtype)) GTEST_SKIP() << *reason;
    if (reason && problem.kernel_volume() == 1) {  // of a row that cuts offsets into segments
      EXPECT_EQ(*reason, "cuts offsets into 2 segments; the kernel has 1");
      continue;
    }
    ASSERT_EQ(reason, std::nullopt);

    const VoxelSet voxels = naive::random_voxels(shape.box, shape.voxels, seed);
    const MapSet map = naive::build_map(voxels, problem.geometry);
    DeviceRun device(algorithm, problem, voxels);
    ASSERT_EQ(device.n_out(), static_cast<int64_t>(map.out_coords.size()));
    MapSet found = device.map();
    std::sort(found.triples.begin(), found.triples.end());
    EXPECT_EQ(found.out_coords, map.out_coords);
    EXPECT_EQ(found.in_coords, map.in_coords);
    EXPECT_EQ(found.triples, map.triples);

    const naive::Inputs inputs =
        naive::integer_inputs(problem, device.n_in(), device.n_out(), seed);
    device.set_inputs(inputs);
    const std::vector<float> expected = naive::compute(problem, map, device.n_in(), inputs);
    device.allocator().reset_peaks();
    for (const uint8_t poison : std::initializer_list<uint8_t>{0xFF, 0x00, 0x7F}) {
      EXPECT_EQ(device.run(poison), expected) << "poison " << int{poison};
      if (problem.direction == Direction::wgrad && problem.bias) {
        EXPECT_EQ(device.bias_gradient(), naive::bias_gradient(problem, inputs.gout));
      }
    }
    EXPECT_EQ(device.allocator().counts().allocations, 0) << "run allocated";
  }
}

INSTANTIATE_TEST_SUITE_P(All, Exact, testing::ValuesIn(all_targets()), target_name);

}  // namespace
}  // namespace spb
