// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "reference/naive.h"
#include "reference/reference.h"
#include "reference/scaled_operands.h"

namespace spb {
namespace {

using test::ScaledOperands;

/// One voxel and one offset: outputs are a product of two matrices.
reference::Result of_one_voxel(const Problem& problem, const ScaledOperands& operands) {
  MapSet map;
  map.out_coords = {{0, 0, 0, 0}};
  map.triples = {{0, 0, 0}};
  return reference::compute_exact(problem, map, 1, operands.inputs());
}

Problem layer(const std::string& rest) {
  return parse_problem("subm k1x1x1 s1x1x1 d1x1x1 c4:4 " + rest, "test");
}

// Worked by hand.
TEST(IntegerReference, ScalesSumsAndRoundsOnce) {
  const ScaledOperands operands{.in = {1, 2, 3, -128},
                                .weights = {1, 1, 1, 0,    // 6
                                            0, 0, 0, 1,    // -128
                                            -1, 0, 0, -1,  // 127
                                            0, 5, 0, 0},   // 10
                                .bias = {0.25f, 0, -1, 3},
                                .residual = {4, 0, 8, -10},
                                .scale = {0.25f, 1, 2, 0.5f},
                                .residual_scale = {0.5f}};
  const auto values = [&](const std::string& rest) {
    return of_one_voxel(layer(rest), operands).main.value;
  };
  EXPECT_EQ(values("i8 fprop"), (std::vector<double>{1.5, -128, 254, 5}));
  EXPECT_EQ(values("i8 fprop bias"), (std::vector<double>{1.75, -128, 253, 8}));
  EXPECT_EQ(values("i8 fprop bias residual"), (std::vector<double>{3.75, -128, 257, 3}));
  EXPECT_EQ(values("i8 fprop bias residual+relu"), (std::vector<double>{3.75, 0, 257, 3}));
  EXPECT_EQ(values("i8_f32 fprop bias residual"), values("i8 fprop bias residual"));
  EXPECT_EQ(values("i8_i32 fprop"), (std::vector<double>{6, -128, 127, 10}));
  EXPECT_EQ(round_output(253, Dtype::i8), 127);
  EXPECT_EQ(round_output(1.5, Dtype::i8), 2);
}

/// Sums in 64 bits by plain loops, and the epilogue as core/epilogue.h writes it.
std::vector<float> naive(const Problem& p, const MapSet& map, const ScaledOperands& o) {
  std::vector<int64_t> sums(map.out_coords.size() * static_cast<size_t>(p.c_out));
  for (const Triple& t : map.triples)
    for (int j = 0; j < p.c_out; ++j)
      for (int i = 0; i < p.c_in; ++i)
        sums[static_cast<size_t>(t.out * p.c_out + j)] +=
            static_cast<int64_t>(o.in[static_cast<size_t>(t.in * p.c_in + i)]) *
            static_cast<int64_t>(
                o.weights[static_cast<size_t>((j * p.kernel_volume() + t.offset) * p.c_in + i)]);
  std::vector<float> out(sums.size());
  for (size_t at = 0; at < out.size(); ++at) {
    const size_t channel = at % static_cast<size_t>(p.c_out);
    float added = p.bias ? o.bias[channel] : 0.f;
    if (p.epilogue.residual) added = std::fma(o.residual_scale[0], o.residual[at], added);
    out[at] = std::fma(o.scale[channel], static_cast<float>(sums[at]), added);
    if (p.epilogue.activation == Activation::leaky_relu && out[at] < 0) out[at] *= p.epilogue.slope;
  }
  return out;
}

// Of 2048 products of 126 and more at one offset, beyond the bits of a float.
TEST(IntegerReference, SumsThemselvesHaveAllTheirBits) {
  constexpr size_t kChannels = 2048;
  ScaledOperands operands{.in = std::vector<float>(kChannels, 127),
                          .weights = std::vector<float>(kChannels, 127),
                          .bias = {},
                          .residual = {},
                          .scale = {},
                          .residual_scale = {}};
  operands.weights[0] = 126;
  operands.in[1] = 126;
  Problem problem = layer("i8_i32 fprop");
  problem.c_in = kChannels;
  problem.c_out = 1;
  EXPECT_EQ(of_one_voxel(problem, operands).main.value,
            (std::vector<double>{2046. * 127 * 127 + 2. * 126 * 127}));
}

TEST(IntegerReference, EqualsPlainLoopsBeyondTheBitsOfAFloat) {
  std::mt19937_64 random(3);
  double largest = 0;
  for (int trial = 0; trial < 30; ++trial) {
    Problem problem;
    // The first one has the largest sums.
    if (trial > 0) problem.geometry = test::random_geometry(random);
    problem.dtype = trial % 2 ? Dtype::i8 : Dtype::i8_f32;
    problem.c_in = trial > 0 ? 4 * static_cast<int>(1 + random() % 40) : 640;
    problem.c_out = 4 * static_cast<int>(1 + random() % 4);
    problem.bias = random() % 2;
    problem.epilogue.residual = random() % 2;
    if (random() % 2) problem.epilogue = parse_epilogue("residual+leaky_relu", "test");
    const VoxelSet voxels = test::random_voxels(random, 5);
    const MapSet map = test::naive_map(voxels, problem.geometry);
    const auto bytes = [&](size_t count, int most) {
      std::vector<float> values(count);
      for (float& value : values)
        value = static_cast<float>(most - static_cast<int>(random() % (trial % 3 ? 256 : 3)));
      return values;
    };
    const size_t n_out = map.out_coords.size(), c_out = static_cast<size_t>(problem.c_out);
    ScaledOperands operands{
        .in = bytes(voxels.coords.size() * static_cast<size_t>(problem.c_in), 127),
        .weights = bytes(c_out * static_cast<size_t>(problem.kernel_volume() * problem.c_in), 127),
        .bias = bytes(c_out, 100),
        .residual = bytes(n_out * c_out, 127),
        .scale = bytes(c_out, 127),
        .residual_scale = {0.37f}};
    for (float& scale : operands.scale) scale *= 0.0123f;
    const Expected expected =
        reference::compute_exact(problem, map, voxels.size(), operands.inputs()).main;
    const std::vector<float> want = naive(problem, map, operands);
    ASSERT_EQ(expected.value.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i)
      ASSERT_EQ(expected.value[i], static_cast<double>(want[i])) << to_text(problem) << ' ' << i;
    for (const double sum : expected.abs_sum) largest = std::max(largest, sum);
    // A sample has the same rows.
    if (n_out < 2) continue;
    const std::vector<int64_t> rows{static_cast<int64_t>(n_out) - 1};
    const Expected sample =
        reference::compute_exact(problem, map, voxels.size(), operands.inputs(), rows).main;
    for (size_t j = 0; j < c_out; ++j)
      EXPECT_EQ(sample.value[j], expected.value[(n_out - 1) * c_out + j]);
  }
  EXPECT_GT(largest, 0x1p24);
}

}  // namespace
}  // namespace spb
