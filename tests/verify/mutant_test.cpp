// SPDX-License-Identifier: Apache-2.0
// The judge is judged: right devices are never flagged, each wrong one is, by the check that must.
#include <gtest/gtest.h>

#include "verify/simulated_device.h"

namespace spb {
namespace {

using test::Behavior;
using test::Order;
using verify::Fill;

TEST(RightDevice, IsNeverFlagged) {
  std::mt19937_64 random(11);
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Dtype dtype = test::kDtypes[seed % 5];
    const auto channels = [&] { return 1 + static_cast<int>(random() % 24); };
    test::Setup s =
        test::make_setup(dtype, test::kDirections[seed / 5 % 3], channels(), channels(), seed, 5);
    if (seed % 4 == 1) s = test::grouped(s, 1 + static_cast<int>(seed % 7));
    if (seed % 4 == 3) {
      s.problem.c_in = s.problem.c_out = 1;
      s = test::grouped(s, channels());
    }
    s.problem.bias = random() % 2;
    const Behavior behavior{.order = static_cast<Order>(seed / 15 % 3)};
    for (const Fill fill : {Fill::relu, Fill::uniform, Fill::range}) {
      const auto fp = test::compare_fp(s, fill, seed, behavior);
      ASSERT_EQ(fp.mismatches, 0) << to_text(s.problem) << " " << name(fill) << " seed " << seed;
      ASSERT_GT(fp.compared, 0);
    }
    for (const Fill fill :
         {Fill::small, Fill::wide_a, Fill::wide_b, Fill::single_a, Fill::single_b})
      ASSERT_EQ(test::compare_ints(s, fill, seed, behavior).mismatches, 0)
          << to_text(s.problem) << " " << name(fill) << " seed " << seed;
  }
}

struct Mutant {
  const char* name;
  Dtype dtype;
  Behavior behavior;
  bool fp, small, wide;  ///< which checks must see it (verification.md, section 12)
};

TEST(WrongDevice, IsFlaggedByTheChecksThatMust) {
  const Mutant mutants[] = {
      {"one neighbor missed", Dtype::f16, {.missed_triple = 40}, true, true, true},
      {"times 1.001", Dtype::f16, {.scale = 1.001f}, true, true, true},
      {"rounded to bf16", Dtype::f16, {.store = Dtype::bf16}, true, true, true},
      {"TF32 for fp32", Dtype::f32, {.operands = Dtype::tf32}, true, false, true},
      {"f16 for fp32", Dtype::f32, {.operands = Dtype::f16}, true, false, true},
      {"TF32 for 3xTF32", Dtype::tf32x3, {.operands = Dtype::tf32}, true, false, true},
      {"one product for three", Dtype::tf32x3, {.parts = test::kHighHigh}, true, false, true},
      {"no low * high", Dtype::tf32x3, {.parts = ~test::kLowHigh}, true, false, true},
      {"no high * low", Dtype::tf32x3, {.parts = ~test::kHighLow}, true, false, true},
      {"offsets swapped", Dtype::f16, {.swapped_offset = 0}, true, true, true},
      {"bf16 partials", Dtype::f16, {.partials = Dtype::bf16}, true, false, true},
      {"fp16 atomics", Dtype::f16, {.accumulator = Dtype::f16}, true, false, true},
  };
  // Dense products, and channels by themselves: sums of at most 27 products.
  for (const int groups : {1, 64}) {
    const auto setup = [&](Dtype dtype) {
      const int channels = 64 / groups;
      return test::grouped(test::make_setup(dtype, Direction::fprop, channels, channels, 1),
                           groups);
    };
    const test::Setup f16 = setup(Dtype::f16), f32 = setup(Dtype::f32),
                      tf32x3 = setup(Dtype::tf32x3);
    for (const Mutant& m : mutants) {
      SCOPED_TRACE(std::string(m.name) + ", " + std::to_string(groups) + " groups");
      const test::Setup& s = m.dtype == Dtype::f16 ? f16 : m.dtype == Dtype::f32 ? f32 : tf32x3;
      EXPECT_EQ(test::compare_fp(s, Fill::relu, 3, m.behavior).mismatches > 0, m.fp);
      const auto small = test::compare_ints(s, Fill::small, 3, m.behavior);
      // Few small integers add up to what bf16 holds, too.
      const bool fits = groups > 1 && m.behavior.store == Dtype::bf16;
      EXPECT_TRUE(!m.small || fits || small.mismatches > 0);
      const bool wide = test::compare_ints(s, Fill::wide_a, 3, m.behavior).mismatches > 0 ||
                        test::compare_ints(s, Fill::wide_b, 3, m.behavior).mismatches > 0;
      EXPECT_EQ(wide, m.wide);
    }
  }
}

TEST(Products, OfThreePartsStayWithinTheirError) {
  const double bound = info(Dtype::tf32x3).product_error;
  std::mt19937_64 random(5);
  std::uniform_real_distribution<float> mantissa(1, 2);
  double worst = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const float a = mantissa(random), b = mantissa(random);
    const test::Split x(a), y(b);
    const double exact = static_cast<double>(a) * static_cast<double>(b);
    const auto product = [](float l, float r) {
      return static_cast<double>(l) * static_cast<double>(r);
    };
    const double sum = product(x.low, y.high) + product(x.high, y.low) + product(x.high, y.high);
    worst = std::max(worst, std::abs(sum - exact) / exact);
  }
  EXPECT_LE(worst, bound);
  EXPECT_GT(worst, bound / 4);  // no bound that anything meets
}

// With the bound of kernels, which drift: three additions to a sum for each eight products.
TEST(Products, OfOnePartAreFlaggedBehindTheDriftOfThree) {
  const verify::ArithmeticModel tensor_cores{.mma_depth = 8, .mma_rounding = 12};
  for (const Direction direction : test::kDirections) {
    const test::Setup s = test::make_setup(Dtype::tf32x3, direction, 64, 64, 1);
    for (const Fill fill : {Fill::relu, Fill::uniform, Fill::range}) {
      const auto flagged = [&](const Behavior& behavior) {
        return test::compare_fp(s, fill, 3, behavior, tensor_cores).mismatches;
      };
      EXPECT_EQ(flagged({}), 0);
      EXPECT_GT(flagged({.operands = Dtype::tf32}), 0) << to_text(s.problem) << name(fill);
      EXPECT_GT(flagged({.parts = ~test::kLowHigh}), 0) << to_text(s.problem) << name(fill);
      EXPECT_GT(flagged({.parts = ~test::kHighLow}), 0) << to_text(s.problem) << name(fill);
    }
    for (const Fill fill : {Fill::wide_a, Fill::wide_b})
      EXPECT_EQ(test::compare_ints(s, fill, 3, {}).mismatches, 0);
    EXPECT_GT(test::compare_ints(s, Fill::wide_a, 3, {.operands = Dtype::tf32}).mismatches, 0);
    EXPECT_GT(test::compare_ints(s, Fill::wide_b, 3, {.operands = Dtype::tf32}).mismatches, 0);
  }
}

TEST(WrongDevice, TruncatedTf32IsFlaggedByEitherWideFill) {
  const test::Setup s = test::make_setup(Dtype::tf32, Direction::fprop, 16, 16, 1);
  for (const Fill fill : {Fill::wide_a, Fill::wide_b}) {
    const test::ExactCase c = test::exact_case(s, fill, 1);
    HostOperands truncated = c.operands;
    for (auto* values : {&truncated.in, &truncated.weights})
      for (float& v : *values) v = v - std::fmod(v, 4.0f);
    if (fill == Fill::wide_a) truncated.weights = c.operands.weights;
    if (fill == Fill::wide_b) truncated.in = c.operands.in;
    EXPECT_EQ(
        verify::compare_exact(c.expected, test::simulate(s, c.operands), Dtype::tf32).mismatches,
        0);
    EXPECT_GT(
        verify::compare_exact(c.expected, test::simulate(s, truncated), Dtype::tf32).mismatches, 0);
  }
}

using Damage = void (*)(std::vector<float>& out, int64_t cols);
struct Damaged {
  const char* name;
  Damage damage;
};

TEST(WrongDevice, DamagedOutputsAreFlaggedByEveryCheck) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const Damaged damages[] = {
      {"row zero",
       [](std::vector<float>& out, int64_t c) { std::fill_n(out.begin() + 5 * c, c, 0.0f); }},
      {"rows swapped",
       [](std::vector<float>& out, int64_t c) {
         std::swap_ranges(out.begin(), out.begin() + c, out.begin() + 7 * c);
       }},
      {"one NaN", [](std::vector<float>& out, int64_t) { out[17] = kNan; }},
      {"one infinity", [](std::vector<float>& out, int64_t) { out[17] = HUGE_VALF; }},
      {"unwritten tile",
       [](std::vector<float>& out, int64_t c) {
         std::fill(out.end() - 4 * c, out.end(), std::bit_cast<float>(0xffffffffu));
       }},
  };
  for (const Direction direction : test::kDirections)
    for (const Dtype dtype : test::kDtypes) {
      const test::Setup s = test::make_setup(dtype, direction, 8, 8, 2);
      const test::ExactCase c = test::exact_case(s, Fill::small, 2);
      const auto fp =
          reference::compute(s.problem, s.map, s.n_in(), test::inputs_of(c.operands)).main;
      for (const Damaged& d : damages) {
        auto out = test::simulate(s, c.operands);
        EXPECT_TRUE(verify::checksum_fp(s.problem, s.map, s.n_in(), c.operands, out, {}, 5).ok);
        d.damage(out, fp.cols);
        EXPECT_GT(verify::compare_exact(c.expected, out, dtype).mismatches, 0) << d.name;
        EXPECT_GT(verify::compare_bounded(fp, out, dtype, {}).mismatches, 0) << d.name;
        EXPECT_FALSE(verify::checksum_fp(s.problem, s.map, s.n_in(), c.operands, out, {}, 5).ok)
            << d.name << " " << to_text(s.problem);
      }
    }
}

}  // namespace
}  // namespace spb
