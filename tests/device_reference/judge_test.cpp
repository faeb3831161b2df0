// SPDX-License-Identifier: Apache-2.0
// The judge on the device against the one on the host, on outputs that are right, wrong and
// between.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "judging.h"

namespace spb::test {
namespace {

Problem problem_of(Dtype dtype, Direction direction) {
  Problem problem{.geometry = {}, .c_in = 6, .c_out = 5};
  problem.dtype = dtype;
  problem.direction = direction;
  return problem;
}

constexpr Dtype kDtypes[] = {Dtype::f32, Dtype::tf32, Dtype::f16, Dtype::bf16};

TEST(Judge, FindsWhatTheHostFinds) {
  std::mt19937 random(1);
  for (const Dtype dtype : kDtypes)
    for (const Direction direction : kDirections) {
      const Layer layer = make_layer(problem_of(dtype, direction), verify::Fill::uniform, 4);
      std::vector<float> got = stored(layer, false);
      expect_same_verdict(judge(layer, got, kMmaTolerance), on_host(layer, got, false));
      // Errors on both sides of the bound, of many roundings where stores make none.
      const float most = info(dtype).out == Storage::f32 ? 60.f : 3.f;
      std::uniform_real_distribution<float> error(-most, most);
      const float ulp = std::ldexp(1.f, 1 - info(dtype).output().bits);
      for (float& value : got)
        value = round_output(
            static_cast<double>(value) * (1 + static_cast<double>(error(random) * ulp)), dtype);
      const auto host = on_host(layer, got, false);
      EXPECT_GT(host.mismatches, 0);
      EXPECT_LT(host.mismatches, host.compared);
      expect_same_verdict(judge(layer, got, kMmaTolerance), host);
    }
}

TEST(Judge, ExactModeTakesNoOtherBits) {
  for (const Dtype dtype : kDtypes)
    for (const Direction direction : kDirections) {
      const Layer layer = make_layer(problem_of(dtype, direction), verify::Fill::small, 4);
      std::vector<float> got = stored(layer, true);
      expect_same_verdict(judge(layer, got, kExact), on_host(layer, got, true));
      got[3] = round_output(std::nextafter(static_cast<double>(got[3]), 1e9) + 1, dtype);
      got[7] = NAN;
      expect_same_verdict(judge(layer, got, kExact), on_host(layer, got, true));
      EXPECT_EQ(judge(layer, got, kExact).mismatched, (std::vector<int64_t>{3, 7}));
    }
}

// One product of operands from one end of the type to the other: subnormals, the largest value and
// infinities are stored as the type rounds.
TEST(Judge, StoresOfTheWholeRangeAreRoundedOnce) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16})
    for (const verify::Fill fill : {verify::Fill::single_a, verify::Fill::single_b}) {
      const Layer layer = make_layer(problem_of(dtype, Direction::fprop), fill, 11);
      std::vector<float> got = stored(layer, true);
      EXPECT_EQ(judge(layer, got, kExactInAllSums).mismatches, 0);
      int64_t changed = 0;
      for (float& value : got)
        if (std::isfinite(value) && value != 0 && ++changed % 7 == 0) {
          // One in the last place, be it that of a subnormal.
          const Storage type = info(dtype).out;
          float wide = value;
          for (float next = value; next == value; wide = std::nextafter(wide, INFINITY))
            value = round_stored(static_cast<double>(wide), type);
        }
      expect_same_verdict(judge(layer, got, kExactInAllSums), on_host(layer, got, true));
    }
}

TEST(Judge, FlushedSubnormalsPassWhereTheyMay) {
  const Layer layer =
      make_layer(problem_of(Dtype::f32, Direction::fprop), verify::Fill::single_a, 2);
  std::vector<float> got = stored(layer, true);
  int64_t flushed = 0;
  for (float& value : got)
    if (std::fpclassify(value) == FP_SUBNORMAL) {
      value = 0;
      ++flushed;
    }
  ASSERT_GT(flushed, 0);
  Tolerance tolerance = kExactInAllSums;
  EXPECT_EQ(judge(layer, got, tolerance).mismatches, flushed);
  tolerance.flushes = true;
  EXPECT_EQ(judge(layer, got, tolerance).mismatches, 0);
}

TEST(Judge, SpecialValuesMustBeThemselves) {
  for (const Direction direction : kDirections) {
    const Layer layer = make_layer(problem_of(Dtype::f16, direction), verify::Fill::special, 5);
    std::vector<float> got = stored(layer, false);
    expect_same_verdict(judge(layer, got, kMmaTolerance), on_host(layer, got, false));
    for (float& value : got)
      if (std::isnan(value)) value = 0;
    const Tally tally = judge(layer, got, kMmaTolerance);
    EXPECT_GT(tally.mismatches, 0);
    expect_same_verdict(tally, on_host(layer, got, false));
  }
}

// What the fill's sample did not know: nothing is left out for it.
TEST(Judge, SumsThatAreNotExactMayBeOffByTheLargestRounding) {
  const Layer layer = make_layer(problem_of(Dtype::f32, Direction::fprop), verify::Fill::small, 4);
  const Expected want = expected(layer, true);
  const Tolerance none_is_exact{.exact = true, .most_abs_sum = 0, .unit = 0x1p-10};
  const auto off_by = [&](double share) {
    std::vector<float> got;
    for (size_t i = 0; i < want.value.size(); ++i)
      got.push_back(static_cast<float>(want.value[i] + share * want.terms[i] * none_is_exact.unit *
                                                           want.abs_sum[i]));
    return judge(layer, got, none_is_exact);
  };
  const int64_t sums = std::ranges::count_if(want.abs_sum, [](double abs) { return abs > 0; });
  EXPECT_EQ(off_by(0).mismatches, 0);
  EXPECT_EQ(off_by(0.9).mismatches, 0);
  EXPECT_EQ(off_by(1.1).mismatches, sums);
  EXPECT_EQ(off_by(0).compared, layer.elements());
  const std::vector<float> nan(want.value.size(), NAN);
  EXPECT_EQ(judge(layer, nan, none_is_exact).mismatches, layer.elements());
  Tolerance some_are = none_is_exact;
  some_are.most_abs_sum = 60;
  const int64_t exact =
      std::ranges::count_if(want.abs_sum, [](double abs) { return abs > 0 && abs < 60; });
  EXPECT_GT(exact, 0);
  EXPECT_LT(exact, sums);
  std::vector<float> got = stored(layer, true);
  for (size_t i = 0; i < got.size(); ++i)
    if (want.abs_sum[i] > 0) got[i] += 0x1p-9f * static_cast<float>(want.terms[i]);
  EXPECT_EQ(judge(layer, got, some_are).mismatches, exact);
}

// Values at the end of the type and beyond, where rounding may or may not reach an infinity; and
// what no finite sum allows.
TEST(Judge, InfinitiesOnlyWhereRoundingReachesThem) {
  for (const Dtype dtype : {Dtype::f16, Dtype::bf16, Dtype::f32})
    for (const Direction direction : kDirections) {
      Layer layer = make_layer(problem_of(dtype, direction), verify::Fill::uniform, 8);
      const float large = static_cast<float>(std::sqrt(info(dtype).output().max));
      for (Floats* operand : {&layer.operands.in, &layer.operands.gout, &layer.operands.weights})
        for (float& value : *operand)
          value = round_output(static_cast<double>(value * large), dtype);
      std::vector<float> got = stored(layer, false);
      EXPECT_TRUE(std::ranges::any_of(got, [](float value) { return std::isinf(value); }));
      EXPECT_TRUE(std::ranges::any_of(got, [](float value) { return std::isfinite(value); }));
      expect_same_verdict(judge(layer, got, kMmaTolerance), on_host(layer, got, false));
      for (size_t i = 0; i < got.size(); ++i)
        if (i % 3 == 0) got[i] = i % 2 ? NAN : (i % 4 ? -got[i] : got[i]) * INFINITY;
      const Tally tally = judge(layer, got, kMmaTolerance);
      EXPECT_GT(tally.mismatches, 0);
      expect_same_verdict(tally, on_host(layer, got, false));
    }
}

// A thread takes several: more elements than threads, rows that fill no block of four.
TEST(Judge, ElementsBeyondTheThreadsAreJudged) {
  for (const Direction direction : kDirections) {
    Problem problem{.geometry = {}, .c_in = direction == Direction::dgrad ? 61 : 2, .c_out = 61};
    if (direction == Direction::wgrad) problem.c_in = 67;
    problem.direction = direction;
    const Layer layer =
        make_layer(problem, verify::Fill::small, 3, direction == Direction::wgrad ? 6 : 34);
    ASSERT_GT(layer.elements(), direction == Direction::wgrad ? 1 << 16 : 4 << 16);
    std::vector<float> got = stored(layer, true);
    EXPECT_EQ(judge(layer, got, kExact).mismatches, 0);
    for (size_t i = 0; i < got.size(); i += 97) got[i] += 1;
    got.back() += 1;
    expect_same_verdict(judge(layer, got, kExact), on_host(layer, got, true));
  }
}

TEST(Judge, NamesTheWorstElement) {
  for (const bool exact : {true, false}) {
    const Layer layer = make_layer(problem_of(Dtype::f32, Direction::fprop),
                                   exact ? verify::Fill::small : verify::Fill::uniform, 4);
    std::vector<float> got = stored(layer, exact);
    // A column of rows that one thread takes, and another's.
    for (const auto& [element, error] : {std::pair(4, 1), {9, 1000}, {14, 2}, {40, 3}})
      got[static_cast<size_t>(element)] += static_cast<float>(error);
    const Tally tally = judge(layer, got, exact ? kExact : kMmaTolerance);
    EXPECT_EQ(tally.mismatches, 4);
    EXPECT_EQ(tally.worst, 9);
    EXPECT_EQ(tally.mismatched, (std::vector<int64_t>{4, 9, 40}));
  }
}

TEST(Judge, NarrowPartsHaveTheirShare) {
  const Layer layer =
      make_layer(problem_of(Dtype::f16, Direction::fprop), verify::Fill::uniform, 4);
  std::vector<float> got = stored(layer, false);
  for (float& value : got)
    value = round_output(static_cast<double>(value) * (1 + 0x1p-9), Dtype::f16);
  verify::ArithmeticModel model = kMma;
  model.partials = Dtype::f16;
  Tolerance tolerance = kMmaTolerance;
  tolerance.partials = 3 * 0x1p-11;
  const auto host = verify::compare_bounded(expected(layer, false), got, Dtype::f16, model);
  expect_same_verdict(judge(layer, got, tolerance), host);
  EXPECT_LT(host.mismatches, on_host(layer, got, false).mismatches);
}

// Threads take eight output channels, and some elements at a time, as far as there is memory.
TEST(Judge, NoElementOfManyPartsIsLeftOut) {
  for (const int groups : {1, 2}) {
    Problem problem{.geometry = {}, .c_in = 3, .c_out = 19};
    problem.direction = Direction::wgrad;
    problem.groups = groups;
    const Layer layer = make_layer(problem, verify::Fill::uniform, 4);
    const std::vector<float> right = stored(layer, false);
    for (const int64_t partial_sums : {0, 1000, 1 << 20}) {
      const auto judged = [&](const std::vector<float>& got) {
        return judge(layer, got, kMmaTolerance, WeightLayout::c_out_first, partial_sums);
      };
      expect_same_verdict(judged(right), on_host(layer, right, false));
      EXPECT_EQ(judged(std::vector<float>(right.size(), 1e9f)).mismatches, layer.elements());
    }
    for (const size_t element : {size_t{0}, right.size() / 2, right.size() - 1}) {
      std::vector<float> got = right;
      got[element] += 100;
      const Tally tally = judge(layer, got, kMmaTolerance, WeightLayout::c_out_first, 1000);
      EXPECT_EQ(tally.mismatched, std::vector<int64_t>{static_cast<int64_t>(element)});
    }
  }
}

TEST(Judge, GradientsOfWeightsMayStandByColumns) {
  const Layer layer =
      make_layer(problem_of(Dtype::f16, Direction::wgrad), verify::Fill::uniform, 4);
  const std::vector<float> rows = stored(layer, false);
  const auto c_out = static_cast<size_t>(layer.problem.c_out);
  const size_t columns = rows.size() / c_out;
  std::vector<float> turned(rows.size());
  for (size_t j = 0; j < c_out; ++j)
    for (size_t column = 0; column < columns; ++column)
      turned[column * c_out + j] = rows[j * columns + column];
  EXPECT_EQ(judge(layer, turned, kMmaTolerance, WeightLayout::c_out_last).mismatches, 0);
  EXPECT_GT(judge(layer, turned, kMmaTolerance).mismatches, 0);
}

}  // namespace
}  // namespace spb::test
