// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include "core/split_mix.h"
#include "verify/simulated_device.h"

namespace spb {
namespace {

using verify::Fill;

TEST(SplitMix, HalfOfTheNormalNumbersAreZero) {
  SplitMix whole(3), half(3);
  int zeros = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double value = half.half_normal();
    ASSERT_EQ(value, std::max(0.0, whole.normal()));
    ASSERT_FALSE(std::signbit(value));
    zeros += value == 0;
  }
  EXPECT_NEAR(zeros, 5000, 200);
}

TEST(SplitMix, SignsAreOnes) {
  SplitMix random(3), bits(3);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(random.sign(), bits.bits() >> 63 ? -1.f : 1.f);
}

TEST(Fill, SmallIsAllIntegersFromMinusFourToFour) {
  const Problem p = test::make_problem(Dtype::bf16, Direction::fprop, 16, 16);
  const auto operands = verify::fill_operands(p, 500, 500, Fill::small, 0, 1);
  EXPECT_EQ(std::set<float>(operands.in.begin(), operands.in.end()),
            (std::set<float>{-4, -3, -2, -1, 0, 1, 2, 3, 4}));
  EXPECT_TRUE(operands.gout.empty());
}

TEST(Fill, LiftedSumsAreWhereActivationsChangeNothing) {
  Problem p = test::make_problem(Dtype::f16, Direction::fprop, 16, 16);
  p.epilogue = {.activation = Activation::hswish, .residual = true};
  const auto operands = verify::fill_operands(p, 500, 400, Fill::lifted, 0, 1);
  ASSERT_EQ(operands.residual.size(), 400u * 16);
  for (const auto* values : {&operands.in, &operands.weights})
    for (const float v : *values) ASSERT_GE(v, 0);
  for (const auto* values : {&operands.bias, &operands.residual})
    for (const float v : *values) ASSERT_TRUE(v >= 3 && v <= 4) << v;
  EXPECT_TRUE(verify::is_lifted(p));
  p.bias = p.epilogue.residual = false;
  EXPECT_FALSE(verify::is_lifted(p)) << "sums may be below 3";
  p.epilogue.activation = Activation::relu;
  EXPECT_TRUE(verify::is_lifted(p));
}

TEST(Fill, ResidualsAreStoredAsOutputsAre) {
  for (const Dtype dtype : test::kDtypes) {
    Problem p = test::make_problem(dtype, Direction::fprop, 4, 8);
    EXPECT_TRUE(verify::fill_operands(p, 50, 60, Fill::relu, 0, 1).residual.empty());
    p.epilogue.residual = true;
    const auto operands = verify::fill_operands(p, 50, 60, Fill::relu, 0, 1);
    ASSERT_EQ(operands.residual.size(), 60u * 8);
    for (const float v : operands.residual) ASSERT_EQ(round_output(v, dtype), v);
    EXPECT_EQ(verify::rounded(operands, dtype).residual, operands.residual);
  }
}

TEST(Fill, WideUsesEveryOperandBit) {
  for (const Dtype dtype : test::kDtypes)
    for (const Direction direction : test::kDirections) {
      const Problem p = test::make_problem(dtype, direction, 16, 16);
      const auto a = verify::fill_operands(p, 500, 500, Fill::wide_a, 0, 1);
      const auto& wide = direction == Direction::fprop ? a.in : a.gout;
      const auto& few = direction == Direction::wgrad ? a.in : a.weights;
      const int bits = dtype == Dtype::tf32   ? 13
                       : dtype == Dtype::f16  ? 11
                       : dtype == Dtype::bf16 ? 8
                                              : 12;
      for (const float v : wide) {
        const int magnitude = static_cast<int>(std::abs(v));
        ASSERT_EQ(static_cast<float>(magnitude), std::abs(v));
        ASSERT_EQ(magnitude % 2, 1);
        ASSERT_EQ(magnitude >> (bits - 1), 1);
        if (dtype == Dtype::tf32) {
          ASSERT_EQ(magnitude % 4, 3);
        } else {
          ASSERT_EQ(round_operand(v, dtype), v);
        }
      }
      EXPECT_EQ(std::set<float>(few.begin(), few.end()), (std::set<float>{-1, 0, 1}));
    }
}

TEST(Fill, FloatsSitOnTheOperandGridAndSpread) {
  for (const Dtype dtype : {Dtype::f16, Dtype::bf16, Dtype::f32})
    for (const Fill fill : {Fill::relu, Fill::uniform, Fill::range}) {
      const Problem p = test::make_problem(dtype, Direction::fprop, 32, 32);
      const auto operands = verify::fill_operands(p, 1000, 1000, fill, 0, 1);
      double sum = 0, squares = 0;
      for (const float v : operands.weights) {
        ASSERT_EQ(round_operand(v, dtype), v);
        sum += static_cast<double>(v);
        squares += static_cast<double>(v) * static_cast<double>(v);
      }
      const auto n = static_cast<double>(operands.weights.size());
      const double deviation = std::sqrt(squares / n);
      EXPECT_LT(std::abs(sum / n), 5 * deviation / std::sqrt(n));
      if (fill == Fill::relu) {
        EXPECT_NEAR(deviation, 0.03, 0.001);
      }
      if (fill == Fill::uniform) {
        EXPECT_NEAR(deviation, 1 / std::sqrt(3.0), 0.01);
      }
    }
}

TEST(Fill, IsTheSameForTheSameSeedOnly) {
  const Problem p;
  const auto draw = [&](uint64_t seed) {
    return verify::fill_operands(p, 9000, 1, Fill::uniform, 0, seed).in;
  };
  EXPECT_EQ(draw(1), draw(1));
  EXPECT_NE(draw(1), draw(2));
}

TEST(Fill, IsTheSameOnEveryMachine) {
  // A hash of the drawn bits: if it changes, recorded seeds no longer mean the same data.
  const auto hash = [](Fill fill) {
    uint64_t h = 0xcbf29ce484222325;
    for (const float v : verify::fill_operands(Problem{}, 100, 1, fill, 0, 1).in)
      h = (h ^ std::bit_cast<uint32_t>(v)) * 0x100000001b3;
    return h;
  };
  EXPECT_EQ(hash(Fill::small), 0x21bb1977ba9e8025u);
  EXPECT_EQ(hash(Fill::relu), 0xe04b5eede042c96fu);
  EXPECT_EQ(hash(Fill::range), 0x34b22a48ec3c1876u);
}

TEST(Fill, SomeLevelIsExactForLargeSums) {
  // 60 000 pairs of one offset reduce to one weight gradient.
  for (const Dtype dtype : test::kDtypes)
    for (const Fill fill : {Fill::small, Fill::wide_a, Fill::wide_b}) {
      test::Setup s;
      s.problem = test::make_problem(dtype, Direction::wgrad, 4, 4);
      s.problem.geometry.kernel_size = {1, 1, 1};
      s.voxels.box.shape = {60000, 1, 1};
      for (int x = 0; x < 60000; ++x) s.voxels.coords.push_back({0, x, 0, 0});
      s.map = reference::build_map(s.voxels, s.problem.geometry);
      const auto c = test::exact_case(s, fill, 1);
      ASSERT_FALSE(c.expected.value.empty()) << name(fill) << " " << info(dtype).name;
      EXPECT_GT(*std::ranges::max_element(c.expected.abs_sum), 1000);
    }
}

// Normal numbers, the least among them, stay what they are.
TEST(FlushSubnormals, LeavesNormalNumbersAlone) {
  for (const Dtype dtype : {Dtype::f16, Dtype::bf16}) {
    const Problem p = test::make_problem(dtype, Direction::wgrad, 16, 16);
    const double least = std::ldexp(1.0, info(dtype).input().min_exponent);
    const HostOperands drawn = verify::fill_operands(p, 2000, 2000, Fill::single_a, 0, 1);
    HostOperands flushed = drawn;
    flushed.in[0] = static_cast<float>(least);
    verify::flush_subnormals(flushed, dtype);
    EXPECT_EQ(flushed.in[0], static_cast<float>(least));
    EXPECT_EQ(flushed.gout, drawn.gout);  // near 1
    int subnormals = 0;
    for (size_t i = 1; i < drawn.in.size(); ++i) {
      const bool is_subnormal = drawn.in[i] != 0 && std::abs(drawn.in[i]) < least;
      subnormals += is_subnormal;
      ASSERT_EQ(flushed.in[i], is_subnormal ? 0 : drawn.in[i]);
    }
    EXPECT_GT(subnormals, 100);
  }
}

TEST(Fill, SpecialPutsNonNumbersInOneRow) {
  const Problem p = test::make_problem(Dtype::f32, Direction::fprop, 6, 6);
  const auto in = verify::fill_operands(p, 100, 1, Fill::special, 0, 1).in;
  EXPECT_EQ(std::ranges::count_if(in, [](float v) { return !std::isfinite(v); }), 3);
}

TEST(ExactEnough, RefusesLargeSumsAndOverflow) {
  Expected e;
  e.value = {100};
  e.abs_sum = {0x1p24 - 1};
  EXPECT_TRUE(verify::exact_enough(e, Dtype::f16));
  e.abs_sum = {0x1p24};
  EXPECT_FALSE(verify::exact_enough(e, Dtype::f32));
  e.value = e.abs_sum = {65505};
  EXPECT_FALSE(verify::exact_enough(e, Dtype::f16));
  EXPECT_TRUE(verify::exact_enough(e, Dtype::bf16));
}

TEST(FillOperands, ThinnedOnesAreThoseOfTheirLevel) {
  for (const Fill fill : {Fill::small, Fill::wide_a, Fill::wide_b})
    for (const Direction direction : test::kDirections) {
      const test::Setup s = test::make_setup(Dtype::f16, direction, 7, 5, 1, 5);
      auto operands = verify::fill_operands(s.problem, s.n_in(), s.n_out(), fill, 0, 9);
      verify::thin_operands(operands, s.problem, s.n_in(), s.n_out(), fill, 5, 9);
      const auto wanted = verify::fill_operands(s.problem, s.n_in(), s.n_out(), fill, 5, 9);
      EXPECT_EQ(operands.in, wanted.in);
      EXPECT_EQ(operands.weights, wanted.weights);
      EXPECT_EQ(operands.gout, wanted.gout);
      EXPECT_EQ(operands.bias, wanted.bias);
    }
}

}  // namespace
}  // namespace spb
