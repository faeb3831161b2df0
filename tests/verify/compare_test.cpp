// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "verify/verify.h"

namespace spb::verify {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// One column of values, each the sum of `terms` products with running sums of its own size.
Expected expect(std::vector<double> values, double terms = 1) {
  Expected e;
  e.rows = static_cast<int64_t>(values.size());
  e.cols = 1;
  for (const double v : values) {
    e.error_scale.push_back(std::abs(v));
    e.abs_sum.push_back(std::abs(v));
    e.partial_scale.push_back(std::abs(v));
    e.terms.push_back(terms);
  }
  e.value = std::move(values);
  return e;
}

int64_t wrong(double value, float got, Dtype output, const ArithmeticModel& model = {}) {
  return compare_bounded(expect({value}), std::vector{got}, output, model).mismatches;
}

TEST(CompareExact, WantsTheReferenceRoundedToTheOutput) {
  const Expected e = expect({2049, 2051, 0, -3});
  EXPECT_EQ(compare_exact(e, std::vector{2048.f, 2052.f, -0.f, -3.f}, Dtype::f16).mismatches, 0);
  EXPECT_EQ(compare_exact(e, std::vector{2050.f, 2052.f, 0.f, -3.f}, Dtype::f16).mismatches, 1);
  EXPECT_EQ(compare_exact(e, std::vector{2048.f, 2052.f, kNan, 3.f}, Dtype::f16).mismatches, 2);
}

TEST(CompareExact, SeesEveryBitOfAnI32) {
  const Expected e = expect({0x1p24 + 1, -0x1p30 - 1, -1, 0});
  const auto wrong = [&](std::vector<int32_t> stored) {
    std::vector<float> got(stored.size());
    decode(stored.data(), Storage::i32, got);
    return compare_exact(e, got, Dtype::i8_i32);
  };
  EXPECT_EQ(wrong({(1 << 24) + 1, -(1 << 30) - 1, -1, 0}).mismatches, 0);
  const Comparison found = wrong({1 << 24, -(1 << 30) + 1, 0, 1});
  EXPECT_EQ(found.mismatches, 4);
  EXPECT_EQ(found.max_abs, 2);
  EXPECT_EQ(found.worst[0].got, -0x1p30 + 1);
}

// 2^-126 of bf16 may be rounded up from a sum of fp32 that was subnormal, which an addition to
// memory may have taken for 0; the next number may not.
TEST(CompareExact, AllowsZeroForSubnormalSumsOnlyWhereTheyAreFlushed) {
  constexpr double kLeast = 0x1p-126;  // normal
  const Expected e = expect({kLeast * (1 - 0x1p-10), kLeast / 4, kLeast, -kLeast});
  const std::vector zeros(4, 0.f);
  EXPECT_EQ(compare_exact(e, zeros, Dtype::bf16, 0, true).mismatches, 2);
  EXPECT_EQ(compare_exact(e, zeros, Dtype::bf16, 0, false).mismatches, 4);
  const std::vector half(4, 0x1p-127f);  // neither the value nor 0
  EXPECT_EQ(compare_exact(e, half, Dtype::bf16, 0, true).mismatches, 4);
}

TEST(CompareBounded, BoundIsTheFormula) {
  // acc = 8 u, store = half an ulp of fp32 at 1: 9 u in all, 4 / 8 * sqrt(16) = 2 more with MMA.
  const auto off = [](double units) { return static_cast<float>(1 + units * 0x1p-24); };
  EXPECT_EQ(wrong(1, off(8), Dtype::f32), 0);
  EXPECT_EQ(wrong(1, off(10), Dtype::f32), 1);
  const ArithmeticModel mma{.mma_depth = 8, .mma_rounding = 4, .chain = 16};
  EXPECT_EQ(wrong(1, off(10), Dtype::f32, mma), 0);
  EXPECT_EQ(wrong(1, off(12), Dtype::f32, mma), 1);
  // 16-bit outputs: half an ulp and little more.
  EXPECT_EQ(wrong(1 + 0x1p-11, 1.0f, Dtype::f16), 0);
  EXPECT_EQ(wrong(1 + 0x1.2p-11, 1.0f, Dtype::f16), 1);
  EXPECT_EQ(wrong(1 + 0x1.2p-11, 1.0f, Dtype::f16, {.partials = Dtype::f16}), 0);
  // Subnormals of the output.
  EXPECT_EQ(wrong(0x1p-25, 0.0f, Dtype::f16), 0);
  EXPECT_EQ(wrong(0x1p-23, 0.0f, Dtype::f16), 1);
}

// Eight of their units times Q, or an eighth of that where a 64th of the products begins anew.
TEST(CompareBounded, NarrowSumsHaveTheirOwnBound) {
  const auto is_wrong = [](double units, const ArithmeticModel& model) {
    const std::vector got{static_cast<float>(1 + units * 0x1p-14)};
    return compare_bounded(expect({1}, 1024), got, Dtype::f32, model).mismatches;
  };
  const ArithmeticModel fast{.sum_bits = 14}, promoted{.sum_bits = 14, .promoted_products = 16};
  EXPECT_EQ(is_wrong(7.9, fast), 0);
  EXPECT_EQ(is_wrong(8.1, fast), 1);
  EXPECT_EQ(is_wrong(0.95, promoted), 0);
  EXPECT_EQ(is_wrong(1.1, promoted), 1);
  EXPECT_EQ(is_wrong(0.1, {}), 1);
}

TEST(CompareBounded, SaturatedOutputsAreTheLargest) {
  EXPECT_EQ(wrong(1000, 448, Dtype::e4m3), 0);
  EXPECT_EQ(wrong(-1e9, -448, Dtype::e4m3), 0);
  EXPECT_EQ(wrong(1000, kNan, Dtype::e4m3), 1);
  EXPECT_EQ(wrong(1000, 416, Dtype::e4m3), 1);
  EXPECT_EQ(wrong(1000, -448, Dtype::e4m3), 1);
  EXPECT_EQ(wrong(std::nan(""), kNan, Dtype::e4m3), 0);
}

TEST(CompareBounded, NonFiniteOnlyWhereRoundingReachesIt) {
  EXPECT_EQ(wrong(1, kNan, Dtype::f16), 1);
  EXPECT_EQ(wrong(65000, kInf, Dtype::f16), 1);
  EXPECT_EQ(wrong(65520, kInf, Dtype::f16), 0);
  EXPECT_EQ(wrong(65520, 65504, Dtype::f16), 0);
  EXPECT_EQ(wrong(65520, -kInf, Dtype::f16), 1);
  EXPECT_EQ(wrong(HUGE_VAL, kInf, Dtype::f16), 0);
  EXPECT_EQ(wrong(HUGE_VAL, 65504, Dtype::f16), 1);
  EXPECT_EQ(wrong(std::nan(""), kNan, Dtype::f16), 0);
  EXPECT_EQ(wrong(std::nan(""), 0, Dtype::f16), 1);
}

TEST(CompareBounded, SaysCertainBeyondAnyRounding) {
  Expected e = expect({1}, 100);
  const auto certain = [&](double units) {
    const std::vector got{static_cast<float>(1 + units * 0x1p-24)};
    return compare_bounded(e, got, Dtype::f32, {}).worst.at(0).certain;
  };
  EXPECT_FALSE(certain(80));
  EXPECT_TRUE(certain(120));
}

TEST(Compare, KeepsTheTenWorstAndAllIndices) {
  std::vector<double> values(200, 1);
  std::vector<float> got(200, 1.0f);
  for (size_t i = 0; i < 100; ++i) got[2 * i] = static_cast<float>(2 + i);
  const auto c = compare_exact(expect(values), got, Dtype::f32);
  EXPECT_EQ(c.mismatches, 100);
  EXPECT_EQ(c.mismatched.size(), 100u);
  ASSERT_EQ(c.worst.size(), 10u);
  EXPECT_EQ(c.worst[0].row, 198);
  EXPECT_EQ(c.worst[9].row, 180);
  EXPECT_EQ(c.max_abs, 100);
}

TEST(Compare, MistrustsWeakEvidence) {
  const auto judge = [](const std::vector<double>& values, int64_t total, double terms = 1) {
    const std::vector<float> got(values.begin(), values.end());
    return compare_exact(expect(values, terms), got, Dtype::f32, total);
  };
  std::vector<double> good(1000), zeros(1000), two(1000, 1);
  for (size_t i = 0; i < 1000; ++i) {
    good[i] = static_cast<double>(i + 1);
    zeros[i] = i < 501 ? 0 : static_cast<double>(i);
    if (i % 2) two[i] = 2;
  }
  EXPECT_FALSE(judge(good, 5000).mistrusted);
  EXPECT_TRUE(judge(zeros, 1000, 4).mistrusted);
  EXPECT_FALSE(judge(zeros, 1000, 3).mistrusted) << "half the values of a fill are zero";
  EXPECT_FALSE(judge(zeros, 1000, 0).mistrusted) << "empty rows are zero by right";
  EXPECT_TRUE(judge(two, 1000).mistrusted);
  good.resize(999);
  EXPECT_TRUE(judge(good, 1001).mistrusted);
  EXPECT_FALSE(judge(good, 999).mistrusted);
  EXPECT_FALSE(judge({1, 2, 3}, 3).mistrusted) << "a tiny output is not suspicious";
}

}  // namespace
}  // namespace spb::verify
