// SPDX-License-Identifier: Apache-2.0
// Outputs that are scaled or lie behind an activation: the judge on the device against the host's.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "judging.h"
#include "verify/rounding.h"

namespace spb::test {
namespace {

/// Some of them one place of the type away, or up to so many.
void disturb(std::vector<float>& values, Dtype dtype, float most, std::mt19937& random) {
  const StorageInfo& type = info(dtype).output();
  std::uniform_real_distribution<float> error(-most, most);
  for (float& value : values) {
    if (!std::isfinite(value) || random() % 3 == 0) continue;
    const double away = static_cast<double>(error(random)) * verify::ulp(std::abs(value), type);
    value = round_output(static_cast<double>(value) + away, dtype);
  }
}

TEST(Judge, FindsWhatTheHostFindsBehindAnEpilogue) {
  std::mt19937 random(2);
  for (const Math& math : dtypes()) {
    if (math.is_integer()) continue;
    for (const Problem& problem : finished_problems(math.dtype)) {
      SCOPED_TRACE(to_text(problem));
      const Layer layer = make_layer(problem, verify::Fill::relu, 6);
      std::vector<float> got = stored(layer, false);
      Tolerance tolerance = kMmaTolerance;
      tolerance.products = 2 * math.product_error;
      EXPECT_EQ(judge(layer, got, tolerance).mismatches, 0);
      disturb(got, math.dtype, math.out == Storage::f32 ? 300 : 3, random);
      const auto host = on_host(layer, got, false);
      EXPECT_GT(host.mismatches, 0);
      EXPECT_LT(host.mismatches, host.compared);
      expect_same_verdict(judge(layer, got, tolerance), host);
    }
  }
}

TEST(Judge, ExactEpiloguesTakeNoOtherBits) {
  std::mt19937 random(3);
  for (const Math& math : dtypes())
    for (const Problem& problem : finished_problems(math.dtype)) {
      SCOPED_TRACE(to_text(problem));
      const verify::Fill fill = math.is_integer() ? verify::Fill::full : verify::Fill::small;
      const Layer layer = make_layer(problem, fill, 5);
      std::vector<float> got = stored(layer, true);
      expect_same_verdict(judge(layer, got, kExactInAllSums), on_host(layer, got, true));
      disturb(got, math.dtype, 2, random);
      const auto host = on_host(layer, got, true);
      EXPECT_GT(host.mismatches, 0);
      expect_same_verdict(judge(layer, got, kExactInAllSums), host);
    }
}

// Ends of the types that have no infinity: beyond them only the last value will do.
TEST(Judge, WhatSaturatesIsStoredAsTheLastValue) {
  for (const Dtype dtype : {Dtype::i8, Dtype::e4m3}) {
    Problem problem{.geometry = {}, .c_in = 40, .c_out = 4};
    problem.dtype = dtype;
    Layer layer = make_layer(problem, verify::Fill::loud, 2);
    for (float& scale : layer.operands.scale) scale *= 64;
    std::vector<float> got = stored(layer, true);
    const auto [least, most] = std::ranges::minmax(got);
    EXPECT_EQ(most, info(dtype).output().max);
    EXPECT_EQ(least, dtype == Dtype::i8 ? -128 : -448);
    expect_same_verdict(judge(layer, got, kExactInAllSums), on_host(layer, got, true));
    for (float& value : got)
      if (value == most) value = dtype == Dtype::i8 ? 126 : 416;
    const Tally tally = judge(layer, got, kExactInAllSums);
    EXPECT_GT(tally.mismatches, 0);
    expect_same_verdict(tally, on_host(layer, got, true));
  }
}

// Sums of fewer bits than fp32 has, promoted to it now and then or never.
TEST(Judge, NarrowSumsMayLoseWhatTheyDo) {
  std::mt19937 random(4);
  for (const int promoted : {0, 16}) {
    Layer layer = make_layer(finished_problems(Dtype::e4m3_f16).back(), verify::Fill::relu, 7);
    verify::ArithmeticModel model = kMma;
    model.sum_bits = 14;
    model.promoted_products = promoted;
    Tolerance tolerance = kMmaTolerance;
    tolerance.narrow_unit = 0x1p-14;
    tolerance.narrow_products = promoted;
    std::vector<float> got = stored(layer, false);
    disturb(got, layer.problem.dtype, 40, random);
    const auto host = on_host(layer, got, false, model);
    EXPECT_GT(host.mismatches, 0);
    EXPECT_LT(host.mismatches, on_host(layer, got, false).mismatches);
    expect_same_verdict(judge(layer, got, tolerance), host);
    // Of exact sums that are too large, the share of the products that lose bits.
    const Layer exact = make_layer(layer.problem, verify::Fill::small, 7);
    const Expected want = expected(exact, true);
    const auto off_by = [&](double share) {
      std::vector<float> values;
      for (size_t i = 0; i < want.value.size(); ++i) {
        const double narrow =
            promoted > 0 ? std::min<double>(promoted, want.terms[i]) : want.terms[i];
        const double scale = std::abs(static_cast<double>(exact.operands.scale[i % 7]));
        values.push_back(
            round_output(want.value[i] + share * 1.5 * scale * 0x1p-6 * narrow * want.abs_sum[i],
                         layer.problem.dtype));
      }
      return judge(exact, values,
                   {.exact = true, .narrow_unit = 0x1p-6, .narrow_products = 1.0 * promoted});
    };
    EXPECT_EQ(off_by(0.9).mismatches, 0);
    EXPECT_GT(off_by(1.2).mismatches, 0);
  }
}

// An error of a sum is scaled, and an activation has its steepest slope.
TEST(Judge, SumsThatAreNotExactMayBeOffBehindAnEpilogueToo) {
  for (const Dtype dtype : {Dtype::f32, Dtype::e4m3_f16})
    for (const Problem& problem : finished_problems(dtype)) {
      SCOPED_TRACE(to_text(problem));
      const Layer layer = make_layer(problem, verify::Fill::small, 8);
      const Tolerance none_is_exact{.exact = true, .most_abs_sum = 0, .unit = 0x1p-6};
      const Expected want = expected(layer, true);
      const double slope = problem.epilogue.activation == Activation::hswish ? 1.5 : 1;
      const auto off_by = [&](double share) {
        std::vector<float> got;
        for (size_t i = 0; i < want.value.size(); ++i) {
          const float scale = layer.operands.scale.empty() ? 1 : layer.operands.scale[i % 7];
          got.push_back(round_output(want.value[i] + share * slope * std::abs(scale) *
                                                         want.terms[i] * 0x1p-6 * want.abs_sum[i],
                                     dtype));
        }
        return judge(layer, got, none_is_exact);
      };
      EXPECT_EQ(off_by(0.9).mismatches, 0);
      EXPECT_GT(off_by(1.2).mismatches, 0);
    }
}

}  // namespace
}  // namespace spb::test
