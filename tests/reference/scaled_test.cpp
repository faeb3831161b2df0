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

/// By plain loops, the epilogue as core/epilogue.h writes it: in fp32, or all in fp64.
template <class Real>
std::vector<double> naive(const Problem& p, const MapSet& map, const ScaledOperands& o) {
  std::vector<double> sums(map.out_coords.size() * static_cast<size_t>(p.c_out));
  for (const Triple& t : map.triples)
    for (int j = 0; j < p.c_out; ++j)
      for (int i = 0; i < p.c_in; ++i)
        sums[static_cast<size_t>(t.out * p.c_out + j)] +=
            static_cast<double>(o.in[static_cast<size_t>(t.in * p.c_in + i)]) *
            static_cast<double>(
                o.weights[static_cast<size_t>((j * p.kernel_volume() + t.offset) * p.c_in + i)]);
  for (size_t at = 0; at < sums.size(); ++at) {
    const size_t channel = at % static_cast<size_t>(p.c_out);
    Real added = p.bias ? o.bias[channel] : 0.f;
    if (p.epilogue.residual)
      added = std::fma(Real{o.residual_scale[0]}, Real{o.residual[at]}, added);
    Real out = std::fma(Real{o.scale[channel]}, static_cast<Real>(sums[at]), added);
    if (p.epilogue.activation == Activation::leaky_relu && out < 0) out *= Real{p.epilogue.slope};
    sums[at] = static_cast<double>(out);
  }
  return sums;
}

TEST(ScaledReference, EqualsPlainLoopsAndBoundsThemInFp32) {
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 30; ++trial) {
    Problem problem;
    problem.geometry = test::random_geometry(random);
    problem.dtype = Dtype::e4m3_f16;
    problem.c_in = 4 * static_cast<int>(1 + random() % 12);
    problem.c_out = 4 * static_cast<int>(1 + random() % 4);
    problem.bias = random() % 2;
    if (random() % 2) problem.epilogue = parse_epilogue("residual+leaky_relu", "test");
    const VoxelSet voxels = test::random_voxels(random, 5);
    const MapSet map = test::naive_map(voxels, problem.geometry);
    const auto draw = [&](size_t count) {  // integers that are e4m3, too
      std::vector<float> values(count);
      for (float& value : values) value = static_cast<float>(static_cast<int>(random() % 33) - 16);
      return values;
    };
    const size_t n_out = map.out_coords.size(), c_out = static_cast<size_t>(problem.c_out);
    ScaledOperands operands{
        .in = draw(voxels.coords.size() * static_cast<size_t>(problem.c_in)),
        .weights = draw(c_out * static_cast<size_t>(problem.kernel_volume() * problem.c_in)),
        .bias = draw(c_out),
        .residual = draw(n_out * c_out),
        .scale = draw(c_out),
        .residual_scale = {0.37f}};
    for (float& scale : operands.scale) scale *= 0.0123f;
    const Expected exact =
        reference::compute_exact(problem, map, voxels.size(), operands.inputs()).main;
    const Expected bounded =
        reference::compute(problem, map, voxels.size(), operands.inputs()).main;
    const std::vector<double> in_fp32 = naive<float>(problem, map, operands);
    const std::vector<double> in_fp64 = naive<double>(problem, map, operands);
    EXPECT_TRUE(exact.error_scale.empty());
    for (size_t i = 0; i < in_fp32.size(); ++i) {
      ASSERT_EQ(exact.value[i], in_fp32[i]) << to_text(problem) << ' ' << i;
      ASSERT_NEAR(bounded.value[i], in_fp64[i], 1e-12 * (1 + std::abs(in_fp64[i])));
      ASSERT_LE(std::abs(in_fp32[i] - in_fp64[i]), 8 * 0x1p-24 * bounded.error_scale[i]);
      const float scale = operands.scale[i % c_out];
      if (scale != 0 && !problem.bias && !problem.epilogue.residual) {
        ASSERT_NEAR(bounded.abs_sum[i], std::abs(static_cast<double>(scale)) * exact.abs_sum[i],
                    1e-9 * bounded.abs_sum[i]);
      }
    }
  }
}

}  // namespace
}  // namespace spb
