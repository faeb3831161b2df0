// SPDX-License-Identifier: Apache-2.0
#include "verify/scales.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "data/generate.h"
#include "reference/reference.h"

namespace spb::verify {
namespace {

Problem layer(const std::string& rest) {
  return parse_problem("subm k3x3x3 s1x1x1 d1x1x1 " + rest, "test");
}

/// Operands of a fill, and what they become.
struct Computed {
  explicit Computed(const std::string& layer_text, Fill fill)
      : problem(layer(layer_text)),
        voxels(data::generate("sphere:8")),
        map(reference::build_map(voxels, problem.geometry)),
        operands(fill_operands(problem, voxels.size(), voxels.size(), fill, 0, 3)) {}
  reference::Inputs inputs() const {
    return {operands.in,       operands.weights, operands.bias,          operands.gout,
            operands.residual, operands.scale,   operands.residual_scale};
  }
  std::vector<float> stored() const {
    std::vector<float> out;
    for (const double value : reference::compute(problem, map, voxels.size(), inputs()).main.value)
      out.push_back(round_output(value, problem.dtype));
    return out;
  }
  Problem problem;
  VoxelSet voxels;
  MapSet map;
  HostOperands operands;
};

TEST(FloatScales, KeepOutputsWithinE4m3) {
  for (const char* channels : {"c16:32", "c512:16"})
    for (const Fill fill : {Fill::small, Fill::wide_a, Fill::wide_b, Fill::relu, Fill::lifted}) {
      const Computed of(std::string(channels) + " e4m3 fprop bias", fill);
      const std::vector<float> out = of.stored();
      const auto beyond = std::ranges::count_if(out, [](float v) { return std::abs(v) >= 448; });
      EXPECT_EQ(beyond, 0) << name(fill) << ' ' << channels;
      const auto tiny = std::ranges::count_if(out, [](float v) { return std::abs(v) < 0x1p-6; });
      EXPECT_LT(tiny, static_cast<int64_t>(out.size()) / 2) << name(fill) << ' ' << channels;
    }
}

TEST(FloatScales, ReachBothEndsUnderTheSingleFills) {
  const Computed of("c16:64 e4m3 fprop", Fill::single_a);
  const std::vector<float> out = of.stored();
  EXPECT_TRUE(std::ranges::any_of(out, [](float v) { return v == 448; }));
  EXPECT_TRUE(std::ranges::any_of(out, [](float v) { return v == -448; }));
  EXPECT_TRUE(std::ranges::any_of(out, [](float v) { return v != 0 && std::abs(v) < 0x1p-6; }));
}

TEST(FloatScales, NeighborsAndTilesHaveTheirOwn) {
  const Computed of("c4:1024 e4m3_f16 fprop", Fill::small);
  for (const size_t tile : {1, 32, 64, 128, 256})
    for (size_t c = tile; c < of.operands.scale.size(); ++c)
      ASSERT_NE(of.operands.scale[c], of.operands.scale[c - tile]) << tile << ' ' << c;
}

TEST(FloatScales, ChecksumsKnowThem) {
  const Computed of("c16:48 e4m3_f16 fprop bias residual", Fill::relu);
  const std::vector<float> out = of.stored();
  const auto checked = [&](const HostOperands& operands, const std::vector<float>& got) {
    return checksum_fp(of.problem, of.map, of.voxels.size(), operands, got, {}, 5).ok;
  };
  EXPECT_TRUE(checked(of.operands, out));
  std::vector<float> swapped = out;
  std::swap_ranges(swapped.begin(), swapped.begin() + 48, swapped.begin() + 48);
  EXPECT_FALSE(checked(of.operands, swapped));
  HostOperands other = of.operands;
  std::ranges::rotate(other.scale, other.scale.begin() + 1);
  EXPECT_FALSE(checked(other, out));
  other = of.operands;
  other.residual_scale[0] = 1;
  EXPECT_FALSE(checked(other, out));
}

TEST(FloatScales, SpecialsHaveNoInfinities) {
  const Computed of("c16:16 e4m3 fprop", Fill::special);
  const auto has = [&](auto is) { return std::ranges::any_of(of.operands.in, is); };
  EXPECT_TRUE(has([](float v) { return std::isnan(v); }));
  EXPECT_FALSE(has([](float v) { return std::isinf(v) || std::abs(v) > 1; }));
}

}  // namespace
}  // namespace spb::verify
