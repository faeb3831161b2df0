// SPDX-License-Identifier: Apache-2.0
// An inverse layer against its partner, which shares its maps and none of its sides.
#include <gtest/gtest.h>
#include <numeric>

#include "algorithms/device_run.h"

namespace spb {
namespace {

/// [a, kv, b] to [b, kv, a].
std::vector<float> turned(const std::vector<float>& weights, const Problem& of) {
  const auto kv = static_cast<size_t>(of.kernel_volume());
  const auto rows = static_cast<size_t>(of.c_out), columns = static_cast<size_t>(of.c_in);
  std::vector<float> result(weights.size());
  for (size_t j = 0; j < rows; ++j)
    for (size_t o = 0; o < kv; ++o)
      for (size_t i = 0; i < columns; ++i)
        result[(i * kv + o) * rows + j] = weights[(j * kv + o) * columns + i];
  return result;
}

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

class Inverse : public testing::TestWithParam<std::string> {};

// <gout, inverse(in; T)> = <strided(gout; T turned), in>, exactly: all numbers are small integers.
TEST_P(Inverse, IsTheAdjointOfItsPartner) {
  for (const char* sizes :
       {"k2x2x2 s2x2x2 d1x1x1", "k3x3x3 s2x2x2 d1x1x1", "k3x2x4 s2x1x3 d1x2x1"}) {
    const Problem inverse =
        parse_problem(std::string("inverse ") + sizes + " c5:12 f32 fprop", "test");
    Problem partner = parse_problem(std::string("strided ") + sizes + " c12:5 f32 fprop", "test");
    const VoxelSet voxels = naive::random_voxels({2, {9, 8, 10}}, 300, 3);
    DeviceRun up(algorithm_named(GetParam()), inverse, voxels),
        down(algorithm_named(GetParam()), partner, voxels);
    ASSERT_EQ(up.n_in(), down.n_out());
    ASSERT_EQ(up.n_out(), down.n_in());
    naive::Inputs inputs = naive::integer_inputs(inverse, up.n_in(), up.n_out(), 9);
    up.set_inputs(inputs);
    const std::vector<float> out = up.run();
    down.set_inputs({inputs.gout, turned(inputs.weights, inverse), {}, {}});
    EXPECT_EQ(dot(inputs.gout, out), dot(down.run(), inputs.in)) << sizes;
    EXPECT_NE(dot(inputs.gout, out), 0) << sizes;

    // The partner's dgrad is the same sum.
    partner.direction = Direction::dgrad;
    DeviceRun back(algorithm_named(GetParam()), partner, voxels);
    back.set_inputs({{}, turned(inputs.weights, inverse), {}, inputs.in});
    EXPECT_EQ(back.run(), out) << sizes;
  }
}

std::vector<std::string> inverse_names() {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : algorithms())
    if (!algorithm.unsupported(
            parse_problem("inverse k2x2x2 s2x2x2 d1x1x1 c5:12 f32 fprop", "test")))
      names.emplace_back(algorithm.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, Inverse, testing::ValuesIn(inverse_names()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace spb
