// SPDX-License-Identifier: Apache-2.0
// What each mode of verification cannot see, and how large it is at most: the table of
// docs/verification.md, section 11, entry by entry. Each size is tried from both sides, so that
// neither the blind spot nor the check beside it can grow unnoticed.
#include <cmath>
#include <functional>
#include <gtest/gtest.h>

#include "verify/rounding.h"
#include "verify/simulated_device.h"

namespace spb {
namespace {

using verify::Fill;

constexpr int kChannels = 32;
constexpr uint64_t kSeed = 5;

struct Output {
  std::vector<float> values;
  int64_t cols;
  float& at(int64_t row, int64_t col) { return values[static_cast<size_t>(row * cols + col)]; }
  int64_t rows() const { return static_cast<int64_t>(values.size()) / cols; }
};
using Defect = std::function<void(Output&)>;

/// A right device's outputs, and what judges those of a sampled case outside of its sample.
class OutsideTheSample {
 public:
  OutsideTheSample(Dtype dtype, Direction direction, bool exact)
      : setup_(test::make_setup(dtype, direction, kChannels, kChannels, kSeed)) {
    setup_.problem.bias = false;
    const HostOperands operands = exact
                                      ? test::exact_case(setup_, Fill::small, kSeed).operands
                                      : verify::fill_operands(setup_.problem, setup_.n_in(),
                                                              setup_.n_out(), Fill::relu, 0, kSeed);
    const HostOperands seen = verify::rounded(operands, dtype);
    output_ = {test::simulate(setup_, operands), kChannels};
    if (exact)
      exact_ = verify::exact_sums(setup_.problem, setup_.map, setup_.n_in(), seen, kSeed);
    else
      bounded_ = verify::bounded_sums(setup_.problem, setup_.map, setup_.n_in(), seen, kSeed);
  }

  bool sees(const Defect& defect) const {
    Output wrong = output_;
    defect(wrong);
    if (!exact_.want.empty())
      return !verify::check_sums(exact_, wrong.values, setup_.problem.dtype).ok;
    return !verify::check_sums(bounded_, wrong.values, setup_.problem.dtype, {}).ok;
  }
  const Output& output() const { return output_; }

 private:
  test::Setup setup_;
  Output output_{};
  verify::ExactSums exact_;
  verify::BoundedSums bounded_;
};

/// All rows of the columns changed places.
Defect swapped_columns(int64_t a, int64_t b) {
  return [=](Output& out) {
    for (int64_t row = 0; row < out.rows(); ++row) std::swap(out.at(row, a), out.at(row, b));
  };
}

/// The element of the largest magnitude of a row.
int64_t largest_column(const Output& output, int64_t row) {
  Output copy = output;
  int64_t best = 0;
  for (int64_t col = 1; col < copy.cols; ++col)
    if (std::abs(copy.at(row, col)) > std::abs(copy.at(row, best))) best = col;
  return best;
}

/// The row's largest element is off by `steps` of its ulp.
Defect off_by_ulps(const Output& output, Dtype dtype, double steps) {
  const int64_t col = largest_column(output, 3);
  return [=](Output& out) {
    float& value = out.at(3, col);
    const double ulp = verify::ulp(std::abs(static_cast<double>(value)), info(dtype).output());
    value = round_output(static_cast<double>(value) + steps * ulp, dtype);
  };
}

// "sample, exact": nothing outside of the sample either, whatever its size, where the output type
// holds every sum.
TEST(Escapes, NothingOfExactSums) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f16})
    for (const Direction direction : test::kDirections) {
      const OutsideTheSample judge(dtype, direction, true);
      ASSERT_FALSE(judge.sees([](Output&) {}));
      EXPECT_TRUE(judge.sees([](Output& out) { out.at(3, 7) += 1; }));
      EXPECT_TRUE(judge.sees([](Output& out) {
        int64_t other = 1;
        while (out.at(3, other) == out.at(3, 0)) ++other;
        std::swap(out.at(3, 0), out.at(3, other));
      }));
      for (int64_t a = 0; a < kChannels; ++a)
        for (int64_t b = 0; b < a; ++b)
          EXPECT_TRUE(judge.sees(swapped_columns(a, b))) << a << " and " << b;
    }
}

// "sample, fp": columns, rows and signs, in all rows or in one.
TEST(Escapes, NoExchangeAndNoSignOfBoundedSums) {
  for (const Dtype dtype : {Dtype::f16, Dtype::bf16, Dtype::f32})
    for (const Direction direction : test::kDirections) {
      SCOPED_TRACE(std::string(info(dtype).name) + " " + name(direction));
      const OutsideTheSample judge(dtype, direction, false);
      ASSERT_FALSE(judge.sees([](Output&) {}));
      for (int64_t a = 0; a < kChannels; ++a)
        for (int64_t b = 0; b < a; ++b)
          EXPECT_TRUE(judge.sees(swapped_columns(a, b))) << a << " and " << b;
      EXPECT_TRUE(judge.sees([](Output& out) {
        for (int64_t col = 0; col < kChannels; ++col) std::swap(out.at(3, col), out.at(4, col));
      }));
      for (int64_t col = 0; col < kChannels; ++col)
        EXPECT_TRUE(judge.sees([&](Output& out) {
          for (int64_t row = 0; row < out.rows(); ++row) out.at(row, col) = -out.at(row, col);
        })) << col;
      const int64_t col = largest_column(judge.output(), 3);
      EXPECT_TRUE(judge.sees([&](Output& out) { out.at(3, col) = -out.at(3, col); }));
    }
}

// "sample, fp": one element off by less than seven deviations of its row's sum: of 16 bits, whose
// ulps are what deviates, between sqrt(channels) / 4 and 8 sqrt(channels) ulps.
TEST(Escapes, FewUlpsOfOneElementOfBoundedSums) {
  for (const Dtype dtype : {Dtype::f16, Dtype::bf16})
    for (const Direction direction : test::kDirections) {
      SCOPED_TRACE(std::string(info(dtype).name) + " " + name(direction));
      const OutsideTheSample judge(dtype, direction, false);
      const double root = std::sqrt(kChannels);
      EXPECT_FALSE(judge.sees(off_by_ulps(judge.output(), dtype, root / 4)));
      EXPECT_TRUE(judge.sees(off_by_ulps(judge.output(), dtype, 8 * root)));
    }
}

// "sample, fp": a factor in all elements, of 16 bits between 1 + 2^-14 and 1 + 2^-8.
TEST(Escapes, AFactorNearOneOfBoundedSums) {
  const auto scaled = [](double factor) {
    return [=](Output& out) {
      for (float& value : out.values)
        value = round_output(static_cast<double>(value) * factor, Dtype::f16);
    };
  };
  for (const Direction direction : test::kDirections) {
    const OutsideTheSample judge(Dtype::f16, direction, false);
    EXPECT_FALSE(judge.sees(scaled(1 + 0x1p-14))) << name(direction);
    EXPECT_TRUE(judge.sees(scaled(1 + 0x1p-8))) << name(direction);
  }
}

// "whole, exact": no bit of any element. "whole, fp": what its bound allows, which for 16 bits is
// little more than half an ulp.
TEST(Escapes, OneElementOfWholeOutputs) {
  for (const Dtype dtype : {Dtype::f16, Dtype::bf16})
    for (const Direction direction : test::kDirections) {
      SCOPED_TRACE(std::string(info(dtype).name) + " " + name(direction));
      test::Setup s = test::make_setup(dtype, direction, kChannels, kChannels, kSeed);
      s.problem.bias = false;
      const auto off = [&](const HostOperands& operands, const auto& compare, double steps) {
        Output out{test::simulate(s, operands), kChannels};
        off_by_ulps(out, dtype, steps)(out);
        return compare(out.values).mismatches > 0;
      };
      const test::ExactCase exact = test::exact_case(s, Fill::small, kSeed);
      const auto judge_exact = [&](const std::vector<float>& got) {
        return verify::compare_exact(exact.expected, got, dtype);
      };
      EXPECT_FALSE(off(exact.operands, judge_exact, 0));
      EXPECT_TRUE(off(exact.operands, judge_exact, 1));

      const HostOperands relu =
          verify::fill_operands(s.problem, s.n_in(), s.n_out(), Fill::relu, 0, kSeed);
      const HostOperands seen = verify::rounded(relu, dtype);
      const Expected expected =
          reference::compute(s.problem, s.map, s.n_in(), test::inputs_of(seen)).main;
      const auto judge_fp = [&](const std::vector<float>& got) {
        return verify::compare_bounded(expected, got, dtype, {});
      };
      EXPECT_FALSE(off(relu, judge_fp, 0));
      EXPECT_TRUE(off(relu, judge_fp, 2));
    }
}

}  // namespace
}  // namespace spb
