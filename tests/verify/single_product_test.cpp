// SPDX-License-Identifier: Apache-2.0
// Fills of one product: what they promise of operands and sums, and what they see.
#include <cmath>
#include <gtest/gtest.h>

#include "verify/simulated_device.h"

namespace spb {
namespace {

using verify::Fill;

constexpr Fill kSingle[] = {Fill::single_a, Fill::single_b};

test::Setup setup_of(Dtype dtype, Direction direction, int groups) {
  return test::grouped(test::make_setup(dtype, direction, 6, 4, 3), groups);
}

HostOperands operands_of(const test::Setup& s, Fill fill) {
  return verify::fill_operands(s.problem, s.n_in(), s.n_out(), fill, 0, 3);
}

TEST(SingleProduct, IsAllThatAnElementHas) {
  for (const Dtype dtype : test::kDtypes)
    for (const Direction direction : test::kDirections)
      for (const int groups : {1, 3})
        for (const Fill fill : kSingle) {
          const test::Setup s = setup_of(dtype, direction, groups);
          HostOperands present = operands_of(s, fill);
          for (auto* values : {&present.in, &present.weights, &present.gout})
            for (float& v : *values) v = v != 0;
          const auto counts =
              reference::compute(s.problem, s.map, s.n_in(), test::inputs_of(present)).main.value;
          EXPECT_EQ(*std::ranges::max_element(counts), 1) << to_text(s.problem);
          // A neighbor is there or not.
          EXPECT_GT(std::ranges::count(counts, 1.0), static_cast<int64_t>(counts.size()) / 8);
        }
}

TEST(SingleProduct, LeavesNothingToTheOrderOfASum) {
  for (const Dtype dtype : test::kDtypes)
    for (const Direction direction : test::kDirections)
      for (const Fill fill : kSingle)
        for (const auto order : {test::Order::forward, test::Order::split}) {
          const test::Setup s = setup_of(dtype, direction, 3);
          EXPECT_EQ(test::compare_ints(s, fill, 3, {.order = order}).mismatches, 0)
              << to_text(s.problem) << name(fill);
        }
}

TEST(SingleProduct, HasOperandsFromOneEndOfTheTypeToTheOther) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16}) {
    const test::Setup s = setup_of(dtype, Direction::fprop, 1);
    const StorageInfo& type = info(dtype).input();
    int largest = 0, subnormal = 0, odd = 0;
    for (const float v : operands_of(s, Fill::single_a).in) {
      ASSERT_EQ(round_operand(v, dtype), v);
      ASSERT_NE(v, 0);
      const auto magnitude = std::abs(static_cast<double>(v));
      const bool is_subnormal = magnitude < std::ldexp(1.0, type.min_exponent);
      largest += magnitude == type.max;
      subnormal += is_subnormal;
      // The last bit of a normal number is set.
      const double units = std::ldexp(magnitude, type.bits - 1 - std::ilogb(magnitude));
      odd += is_subnormal || std::fmod(units, 2) == 1;
    }
    EXPECT_GT(largest, 0) << info(dtype).name;
    EXPECT_GT(subnormal, 0) << info(dtype).name;
    EXPECT_EQ(odd, s.n_in() * s.problem.c_in) << info(dtype).name;
  }
}

TEST(SingleProduct, OfOutputsHasEveryKind) {
  for (const Direction direction : test::kDirections) {
    const test::Setup s = setup_of(Dtype::f16, direction, 1);
    int infinite = 0, subnormal = 0, zero = 0, normal = 0;
    for (const double y : test::exact_case(s, Fill::single_a, 3).expected.value) {
      const float stored = round_output(y, Dtype::f16);
      (std::isinf(stored)                        ? infinite
       : stored == 0                             ? zero
       : std::abs(stored) < std::ldexp(1.f, -14) ? subnormal
                                                 : normal)++;
    }
    EXPECT_GT(infinite, 0);
    EXPECT_GT(subnormal, 0);
    EXPECT_GT(zero, 0);
    EXPECT_GT(normal, 0);
  }
}

TEST(SingleProduct, MayBeFlushedByAdditionsToMemoryAlone) {
  Expected e;
  e.rows = 1;
  e.cols = 2;
  e.value = {1e-40, 1};
  e.abs_sum = e.terms = {1, 1};
  const float flushed[] = {0, 1}, wrong[] = {0, 0};
  EXPECT_EQ(verify::compare_exact(e, flushed, Dtype::f32).mismatches, 1);
  EXPECT_EQ(verify::compare_exact(e, flushed, Dtype::f32, 0, true).mismatches, 0);
  EXPECT_EQ(verify::compare_exact(e, wrong, Dtype::f32, 0, true).mismatches, 1);
}

}  // namespace
}  // namespace spb
