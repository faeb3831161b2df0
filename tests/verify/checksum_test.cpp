// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "verify/simulated_device.h"

namespace spb {
namespace {

using test::Behavior;
using verify::Fill;

verify::Checksum fp_checksum(const test::Setup& s, uint64_t seed, const Behavior& behavior) {
  const auto operands = verify::fill_operands(s.problem, s.n_in(), s.n_out(), Fill::relu, 0, seed);
  return verify::checksum_fp(s.problem, s.map, s.n_in(), verify::rounded(operands, s.problem.dtype),
                             test::simulate(s, operands, behavior), {}, seed);
}

TEST(ChecksumExact, AcceptsRightAndFindsTheOneWrongRow) {
  for (uint64_t seed = 0; seed < 60; ++seed)
    for (const Direction direction : test::kDirections) {
      const test::Setup one = test::make_setup(Dtype::f32, direction, 5, 9, seed, 5);
      const test::Setup s =
          seed % 3 == 0
              ? one
              : test::grouped(test::make_setup(Dtype::f32, direction, seed % 3 == 1 ? 1 : 2,
                                               seed % 3 == 1 ? 1 : 3, seed, 5),
                              9);
      const auto c = test::exact_case(s, Fill::small, seed);
      auto out = test::simulate(s, c.operands);
      ASSERT_TRUE(verify::checksum_exact(s.problem, s.map, s.n_in(), c.operands, out, seed).ok);
      const auto wrong = static_cast<int64_t>(seed * 37 % out.size());
      out[static_cast<size_t>(wrong)] += 1;
      const auto found = verify::checksum_exact(s.problem, s.map, s.n_in(), c.operands, out, seed);
      ASSERT_FALSE(found.ok);
      ASSERT_EQ(found.bad_rows, 1);
      ASSERT_EQ(found.first_bad_row, wrong / c.expected.cols);
    }
}

TEST(ChecksumExact, CountsTheResidual) {
  test::Setup s = test::make_setup(Dtype::f32, Direction::fprop, 5, 9, 1, 5);
  s.problem.epilogue.residual = true;
  const auto operands = verify::fill_operands(s.problem, s.n_in(), s.n_out(), Fill::small, 0, 1);
  auto out = test::simulate(s, operands);
  const auto ok = [&] {
    return verify::checksum_exact(s.problem, s.map, s.n_in(), operands, out, 1).ok;
  };
  EXPECT_FALSE(ok()) << "the device has not added it";
  for (size_t i = 0; i < out.size(); ++i) out[i] += operands.residual[i];
  EXPECT_TRUE(ok());
  std::swap(out[0], out[9]);
  EXPECT_EQ(ok(), out[0] == out[9]);
}

TEST(ChecksumExact, TakesAllBitsOfAnI32) {
  test::Setup s = test::make_setup(Dtype::i8_i32, Direction::fprop, 512, 8, 1, 5);
  s.problem.bias = false;
  const auto operands = verify::fill_operands(s.problem, s.n_in(), s.n_out(), Fill::loud, 0, 1);
  reference::Inputs inputs;
  inputs.in = operands.in;
  inputs.weights = operands.weights;
  const Expected sums = reference::compute_exact(s.problem, s.map, s.n_in(), inputs).main;
  std::vector<float> out;
  for (const double sum : sums.value) out.push_back(round_output(sum, s.problem.dtype));
  const auto checksum = [&] {
    return verify::checksum_exact(s.problem, s.map, s.n_in(), operands, out, 1);
  };
  EXPECT_TRUE(checksum().ok);
  const auto largest =
      static_cast<size_t>(std::ranges::max_element(sums.value) - sums.value.begin());
  ASSERT_GT(sums.value[largest], 0x1p24);
  out[largest] = round_output(sums.value[largest] + 1, s.problem.dtype);
  EXPECT_EQ(checksum().bad_rows, 1);
}

TEST(ChecksumExact, RefusesWhatIsNoSmallInteger) {
  const test::Setup s = test::make_setup(Dtype::f32, Direction::fprop, 4, 4, 1, 5);
  const auto c = test::exact_case(s, Fill::small, 1);
  for (const float bad : {0.5f, 0x1p25f, HUGE_VALF, std::numeric_limits<float>::quiet_NaN()}) {
    auto out = test::simulate(s, c.operands);
    out[6] = bad;
    EXPECT_EQ(verify::checksum_exact(s.problem, s.map, s.n_in(), c.operands, out, 1).first_bad_row,
              1);
  }
}

TEST(ChecksumFp, NeverAlarmsOnRightDevices) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const auto channels = static_cast<int>(1 + seed * 7 % 40);
    test::Setup s = test::make_setup(test::kDtypes[seed % 5], test::kDirections[seed / 5 % 3],
                                     channels, 41 - channels, seed, 5);
    if (seed % 4 == 1) s = test::grouped(s, 1 + static_cast<int>(seed % 7));
    if (seed % 4 == 3) {
      s.problem.c_in = s.problem.c_out = 1;
      s = test::grouped(s, channels);
    }
    s.problem.bias = seed % 5 != 0;
    const auto sum = fp_checksum(s, seed, {.order = static_cast<test::Order>(seed / 15 % 3)});
    ASSERT_TRUE(sum.ok) << to_text(s.problem) << " seed " << seed << " rms " << sum.rms;
  }
}

// Of few products for each element, and of one column in wgrad.
TEST(ChecksumFp, SeesWrongTermsOfDepthwise) {
  for (const Direction direction : test::kDirections) {
    test::Setup s = test::grouped(test::make_setup(Dtype::f16, direction, 1, 1, 1), 64);
    s.problem.bias = false;  // it is larger than the sums, whose errors its own rounding hides
    EXPECT_TRUE(fp_checksum(s, 1, {}).ok);
    EXPECT_FALSE(fp_checksum(s, 1, {.missed_triple = 40}).ok);
    EXPECT_FALSE(fp_checksum(s, 1, {.scale = 1.001f}).ok);
    EXPECT_FALSE(fp_checksum(s, 1, {.store = Dtype::bf16}).ok);
    EXPECT_FALSE(fp_checksum(s, 1, {.accumulator = Dtype::f16}).ok);
  }
}

TEST(ChecksumFp, SeesLostPrecisionAndWrongTerms) {
  const test::Setup f16 = test::make_setup(Dtype::f16, Direction::fprop, 64, 64, 1);
  const test::Setup f32 = test::make_setup(Dtype::f32, Direction::fprop, 64, 64, 1);
  const test::Setup tf32x3 = test::make_setup(Dtype::tf32x3, Direction::fprop, 64, 64, 1);
  EXPECT_FALSE(fp_checksum(f16, 1, {.missed_triple = 40}).ok);
  EXPECT_FALSE(fp_checksum(f16, 1, {.scale = 1.001f}).ok);
  EXPECT_FALSE(fp_checksum(f16, 1, {.store = Dtype::bf16}).ok);
  EXPECT_FALSE(fp_checksum(f16, 1, {.swapped_offset = 0}).ok);
  EXPECT_FALSE(fp_checksum(f16, 1, {.partials = Dtype::bf16}).ok);
  EXPECT_FALSE(fp_checksum(f16, 1, {.accumulator = Dtype::f16}).ok);
  EXPECT_FALSE(fp_checksum(f32, 1, {.operands = Dtype::tf32}).ok);
  EXPECT_FALSE(fp_checksum(tf32x3, 1, {.operands = Dtype::tf32}).ok);
  EXPECT_FALSE(fp_checksum(tf32x3, 1, {.parts = test::kHighHigh}).ok);
}

}  // namespace
}  // namespace spb
