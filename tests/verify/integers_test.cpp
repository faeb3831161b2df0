// SPDX-License-Identifier: Apache-2.0
#include "verify/integers.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace spb::verify {
namespace {

constexpr int64_t kRows = 50;

Problem layer(const char* dtype, const char* rest = "") {
  return parse_problem(
      std::string("subm k3x3x3 s1x1x1 d1x1x1 c64:16 ") + dtype + " fprop bias" + rest, "test");
}

HostOperands drawn(const Problem& problem, Fill fill) {
  return fill_operands(problem, kRows, kRows, fill, 0, 7);
}

TEST(Integers, OperandsAreBytes) {
  for (const Fill fill : {Fill::small, Fill::tied, Fill::full, Fill::loud}) {
    const HostOperands operands = drawn(layer("i8", " residual"), fill);
    for (const Floats* values : {&operands.in, &operands.weights, &operands.residual}) {
      ASSERT_FALSE(values->empty()) << name(fill);
      EXPECT_TRUE(std::ranges::all_of(*values, [](float value) {
        return value == std::nearbyint(value) && value >= -128 && value <= 127;
      })) << name(fill);
    }
    EXPECT_EQ(operands.scale.size(), 16u);
    EXPECT_EQ(operands.residual_scale.size(), 1u);
  }
  EXPECT_TRUE(drawn(layer("f16", " residual"), Fill::small).scale.empty());
  EXPECT_TRUE(drawn(layer("i8"), Fill::small).residual_scale.empty());
}

TEST(Integers, FullHasBothEnds) {
  const HostOperands operands = drawn(layer("i8"), Fill::full);
  EXPECT_EQ(std::ranges::min(operands.in), -128);
  EXPECT_EQ(std::ranges::max(operands.in), 127);
}

TEST(Integers, LoudSumsPassTheBitsOfAFloat) {
  const HostOperands operands = drawn(layer("i8"), Fill::loud);
  const auto sum_of = [&](int64_t row, int64_t channel) {
    double sum = 0, magnitudes = 0;
    for (int64_t i = 0; i < 64 * 27; ++i) {
      const double product =
          static_cast<double>(operands.in[static_cast<size_t>(row * 64 + i % 64)]) *
          static_cast<double>(operands.weights[static_cast<size_t>(channel * 64 * 27 + i)]);
      sum += product;
      magnitudes += std::abs(product);
    }
    EXPECT_EQ(std::abs(sum), magnitudes) << "no two products cancel";
    return sum;
  };
  bool above = false, below = false;
  for (int64_t row = 0; row < kRows; ++row)
    for (int64_t channel = 0; channel < 16; ++channel) {
      const double sum = sum_of(row, channel);
      EXPECT_GT(std::abs(sum), 0x1p24);
      above = above || sum > 0;
      below = below || sum < 0;
    }
  EXPECT_TRUE(above && below);
}

TEST(Integers, NeighborsHaveScalesOfTheirOwn) {
  for (const Fill fill : {Fill::tied, Fill::full, Fill::loud}) {
    const HostOperands operands = drawn(layer("i8"), fill);
    EXPECT_EQ(std::ranges::adjacent_find(operands.scale), operands.scale.end()) << name(fill);
  }
  // Tiles have 32 to 256 columns.
  const Problem wide = parse_problem("subm k1x1x1 s1x1x1 d1x1x1 c4:1024 i8 fprop", "test");
  for (const Fill fill : {Fill::full, Fill::loud})
    for (const size_t tile : {32, 64, 128, 256}) {
      const HostOperands operands = drawn(wide, fill);
      for (size_t c = tile; c < operands.scale.size(); ++c)
        ASSERT_NE(operands.scale[c], operands.scale[c - tile]) << name(fill) << ' ' << c;
    }
  const HostOperands small = drawn(layer("i8"), Fill::small);
  EXPECT_TRUE(std::ranges::all_of(small.scale, [](float scale) { return scale == 1; }));
}

Expected of_values(std::vector<double> values) {
  Expected expected;
  expected.rows = 1;
  expected.cols = static_cast<int64_t>(values.size());
  expected.value = std::move(values);
  return expected;
}

TEST(RoundingEvidence, CountsTiesAndEnds) {
  const Expected expected = of_values({0.5, -1.5, 2.25, 127.4, 127.5, 200, -128.4, -128.5, 126.5});
  const RoundingEvidence evidence = rounding_evidence(expected, Storage::i8);
  EXPECT_EQ(evidence.outputs, 9);
  EXPECT_EQ(evidence.ties, 3);
  EXPECT_EQ(evidence.high, 2);
  EXPECT_EQ(evidence.low, 1);
  EXPECT_EQ(rounding_evidence(expected, Storage::f32).outputs, 0);
}

TEST(RoundingEvidence, OneInAHundredIsEnoughOfEach) {
  const RoundingEvidence enough{.outputs = 1000, .ties = 10, .low = 10, .high = 10};
  EXPECT_EQ(enough.missing({}), "");
  RoundingEvidence few = enough;
  few.ties = 9;
  EXPECT_EQ(few.missing({}), "under 1 % of outputs lie half way between integers");
  few = enough;
  few.high = 9;
  EXPECT_EQ(few.missing({}), "under 1 % of outputs lie above 127");
  few = enough;
  few.low = 9;
  EXPECT_EQ(few.missing({}), "under 1 % of outputs lie below -128");
  EXPECT_EQ(few.missing({.activation = Activation::relu}), "");
  EXPECT_EQ(RoundingEvidence{.outputs = 63}.missing({}), "");
}

}  // namespace
}  // namespace spb::verify
