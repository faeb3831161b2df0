// SPDX-License-Identifier: Apache-2.0
// Operands that are to be drawn, where the reference reads them.
#include <bit>
#include <gtest/gtest.h>
#include <optional>

#include "verify/simulated_device.h"

namespace spb {
namespace {

using verify::Fill;

constexpr Fill kDrawnFills[] = {Fill::small,    Fill::wide_a, Fill::wide_b,  Fill::single_a,
                                Fill::single_b, Fill::relu,   Fill::uniform, Fill::range,
                                Fill::special,  Fill::lifted, Fill::full,    Fill::tied};
constexpr Dtype kDrawnDtypes[] = {Dtype::f32,  Dtype::tf32, Dtype::f16,
                                  Dtype::bf16, Dtype::i8,   Dtype::e4m3};

std::vector<uint32_t> bits_of(std::span<const float> values) {
  std::vector<uint32_t> bits;
  for (const float value : values) bits.push_back(std::bit_cast<uint32_t>(value));
  return bits;
}

void expect_same(const HostOperands& a, const HostOperands& b) {
  for (const Tensor tensor : {Tensor::in, Tensor::weights, Tensor::bias, Tensor::gout,
                              Tensor::residual, Tensor::scale, Tensor::residual_scale})
    EXPECT_EQ(bits_of(*a.find(tensor)), bits_of(*b.find(tensor))) << name(tensor);
}

/// Calls f(setup, fill) for what fills draw.
template <typename F>
void for_each_fill(const F& f) {
  for (const Dtype dtype : kDrawnDtypes)
    for (const Direction direction : test::kDirections) {
      test::Setup s = test::make_setup(dtype, direction, 33, 18, 3, 9);
      if (direction == Direction::fprop) s.problem.epilogue.residual = true;
      if (direction != Direction::fprop && info(dtype).is_integer()) continue;
      test::Setup strided = s;
      strided.problem.geometry = {ConvKind::strided, {2, 2, 2}, {2, 2, 2}, {1, 1, 1}};
      strided.map = reference::build_map(strided.voxels, strided.problem.geometry);
      for (const test::Setup& setup : {s, strided})
        for (const Fill fill : kDrawnFills) {
          SCOPED_TRACE(to_text(setup.problem) + ' ' + verify::name(fill));
          f(setup, fill);
        }
    }
}

TEST(OperandsToDraw, AreThoseOfTheFill) {
  for_each_fill([](const test::Setup& s, Fill fill) {
    const auto to_draw = verify::operands_to_draw(s.problem, s.n_in(), s.n_out(), fill, 5, 2);
    ASSERT_TRUE(to_draw);
    EXPECT_TRUE(to_draw->in.empty() && to_draw->weights.empty() && to_draw->gout.empty());
    const HostOperands whole = verify::fill_operands(s.problem, s.n_in(), s.n_out(), fill, 5, 2);
    expect_same(verify::held(*to_draw), whole);
    // As a multiply sees them.
    const Dtype dtype = s.problem.dtype;
    if (info(dtype).rounds_operands)
      expect_same(verify::held(verify::rounded(*to_draw, dtype)), verify::rounded(whole, dtype));
    HostOperands flushed = whole, to_flush = *to_draw;
    verify::flush_subnormals(flushed, dtype);
    verify::flush_subnormals(to_flush, dtype);
    expect_same(verify::held(to_flush), flushed);
  });
}

TEST(OperandsToDraw, AreNoneWhereElementsDependOnOthers) {
  const test::Setup s = test::make_setup(Dtype::i8, Direction::fprop, 8, 8, 1);
  EXPECT_FALSE(verify::operands_to_draw(s.problem, s.n_in(), s.n_out(), Fill::loud, 0, 1));
}

// More pairs than one processor takes at a time.
TEST(PairsOfRows, AreThoseOfTheRowsInTheirOrder) {
  constexpr int32_t kRows = 1'100'000;
  MapSet map;
  for (int32_t offset = 0; offset < 2; ++offset)
    for (int32_t row = 0; row < kRows; ++row) map.triples.push_back({offset, row, kRows - 1 - row});
  const std::vector<int64_t> rows{0, 7, kRows - 1};
  const auto expect = [&](bool by_output, const std::vector<int32_t>& outs) {
    Triples expected;
    for (int32_t offset = 0; offset < 2; ++offset)
      for (const int32_t out : outs) expected.push_back({offset, out, kRows - 1 - out});
    EXPECT_EQ(verify::pairs_of_rows(map, by_output, rows), expected);
  };
  expect(true, {0, 7, kRows - 1});
  expect(false, {0, kRows - 8, kRows - 1});
  EXPECT_TRUE(verify::pairs_of_rows(map, true, {}).empty());
}

TEST(HeldForRows, HasWhatTheReferenceReads) {
  for_each_fill([](const test::Setup& s, Fill fill) {
    if (s.problem.direction == Direction::wgrad) return;
    const auto to_draw = verify::operands_to_draw(s.problem, s.n_in(), s.n_out(), fill, 0, 2);
    ASSERT_TRUE(to_draw);
    const auto sum = [&](const HostOperands& operands, std::span<const int64_t> rows) {
      return reference::compute(s.problem, s.map, s.n_in(), test::inputs_of(operands), rows).main;
    };
    const HostOperands whole = verify::fill_operands(s.problem, s.n_in(), s.n_out(), fill, 0, 2);
    const int64_t n = s.problem.direction == Direction::fprop ? s.n_out() : s.n_in();
    const std::vector<int64_t> rows{0, 1, 40, 41, 63, n - 1};
    const Triples pairs =
        verify::pairs_of_rows(s.map, s.problem.direction == Direction::fprop, rows);
    const HostOperands some = verify::held_for_rows(*to_draw, s.problem, rows, pairs);
    EXPECT_FALSE(some.draws);
    const Expected of_some = sum(some, rows), of_whole = sum(whole, rows);
    ASSERT_EQ(of_some.value.size(), of_whole.value.size());
    for (size_t i = 0; i < of_some.value.size(); ++i)
      ASSERT_TRUE(of_some.value[i] == of_whole.value[i] ||
                  (of_some.value[i] != of_some.value[i] && of_whole.value[i] != of_whole.value[i]));
    EXPECT_EQ(of_some.terms, of_whole.terms);
    const Expected by_pairs =
        reference::compute(s.problem, s.map, s.n_in(), test::inputs_of(some), rows, pairs).main;
    EXPECT_EQ(by_pairs.terms, of_whole.terms);
    expect_same(verify::held_for_rows(*to_draw, s.problem, {}, {}), whole);
  });
}

TEST(SampleChannels, OfOperandsToDrawAreTheSame) {
  for_each_fill([](const test::Setup& s, Fill fill) {
    if (s.problem.direction != Direction::wgrad) return;
    const auto to_draw = verify::operands_to_draw(s.problem, s.n_in(), s.n_out(), fill, 0, 2);
    ASSERT_TRUE(to_draw);
    const auto whole = verify::sample_channels(
        s.problem, verify::fill_operands(s.problem, s.n_in(), s.n_out(), fill, 0, 2), 4);
    const auto drawn = verify::sample_channels(s.problem, *to_draw, 4);
    EXPECT_LT(drawn.in.size(), 33u);
    EXPECT_EQ(drawn.in, whole.in);
    EXPECT_EQ(drawn.out, whole.out);
    expect_same(drawn.operands, whole.operands);
  });
}

}  // namespace
}  // namespace spb
