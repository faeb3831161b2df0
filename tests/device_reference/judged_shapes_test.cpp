// SPDX-License-Identifier: Apache-2.0
// Threads of the judge take several rows, columns, channels and products at a time, as far as a
// layer's channels are divided by them, and add integers in fp32: what they find is what the host
// finds, whatever the channels.
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "judging.h"

namespace spb::test {
namespace {

struct Channels {
  int in, out, groups = 1;
};

constexpr Channels kChannels[] = {{4, 5},    {3, 32},    {8, 33},    {4, 64},
                                  {64, 4},   {68, 64},   {64, 132},  {32, 96},
                                  {64, 128}, {32, 8, 3}, {12, 1, 4}, {64, 64, 2}};

std::vector<Problem> problems_of(Dtype dtype) {
  std::vector<Problem> all;
  for (const Channels& channels : kChannels)
    for (const Direction direction : kDirections) {
      Problem problem{.geometry = {}, .c_in = channels.in, .c_out = channels.out};
      problem.dtype = dtype;
      problem.direction = direction;
      problem.groups = channels.groups;
      all.push_back(problem);
    }
  return all;
}

std::string title(const Problem& problem) {
  return std::string(name(problem.direction)) + " of " + std::to_string(problem.c_in) + " to " +
         std::to_string(problem.c_out) + " channels, groups " + std::to_string(problem.groups);
}

void expect_what_the_host_finds(
    const Layer& layer, Judged judged,
    int64_t partial_sums = device_reference::DeviceReference::kPartialSums) {
  SCOPED_TRACE(title(layer.problem));
  const bool exact = judged != Judged::bounded;
  const Tolerance tolerance = judged == Judged::bounded ? kMmaTolerance
                              : judged == Judged::exact ? kExactInAllSums
                                                        : kExact;
  const auto on_device = [&](const std::vector<float>& got) {
    return judge(layer, got, tolerance, WeightLayout::c_out_first, partial_sums, judged);
  };
  std::vector<float> got = stored(layer, exact);
  expect_same_verdict(on_device(got), on_host(layer, got, exact));
  for (size_t i = 0; i < got.size(); i += 7) got[i] += 1 + std::fabs(got[i]);
  const Tally wrong = on_device(got);
  EXPECT_EQ(wrong.mismatches, static_cast<int64_t>((got.size() + 6) / 7));
  expect_same_verdict(wrong, on_host(layer, got, exact));
}

TEST(JudgedShapes, BoundedSums) {
  for (const Problem& problem : problems_of(Dtype::f32))
    expect_what_the_host_finds(make_layer(problem, verify::Fill::uniform, 3), Judged::bounded);
}

TEST(JudgedShapes, Integers) {
  for (const Problem& problem : problems_of(Dtype::f32))
    expect_what_the_host_finds(make_layer(problem, verify::Fill::small, 5), Judged::integers);
}

TEST(JudgedShapes, FewFactorsThatAreNotZero) {
  for (const Problem& problem : problems_of(Dtype::bf16))
    expect_what_the_host_finds(make_layer(problem, verify::Fill::single_a, 7), Judged::exact);
}

// Sums of magnitudes beyond 2^24, of which fp32 loses bits: they are added in fp64 then.
TEST(JudgedShapes, IntegersBeyondFp32) {
  for (const Problem& problem : problems_of(Dtype::f32)) {
    Layer layer = make_layer(problem, verify::Fill::small, 11, 9);
    std::mt19937 random(17);
    for (Floats* operand : {&layer.operands.in, &layer.operands.gout, &layer.operands.weights})
      for (float& value : *operand) value = value * 512 + static_cast<float>(random() % 8);
    SCOPED_TRACE(title(problem));
    device_reference::DeviceReference naive(layer.problem, layer.map, layer.n_in());
    naive.write(layer.operands, Judged::exact);
    const Expected want = naive.expect(layer.all());
    std::vector<float> got;
    int64_t beyond = 0, lost = 0;
    for (size_t i = 0; i < want.value.size(); ++i) {
      got.push_back(static_cast<float>(want.value[i]));
      beyond += int{want.abs_sum[i] >= 0x1p24};
      lost += int{std::fmod(want.value[i], 2) != 0 && want.abs_sum[i] >= 0x1p24};
    }
    EXPECT_GT(beyond, 0);
    EXPECT_GT(lost, 0);
    const Tally tally = judge(layer, got, kExactInAllSums, WeightLayout::c_out_first,
                              device_reference::DeviceReference::kPartialSums, Judged::integers);
    EXPECT_EQ(tally.mismatches, 0);
    EXPECT_EQ(tally.compared, layer.elements());
  }
}

// Squares of products that fp32 has no room for, at either end.
TEST(JudgedShapes, ScalesBeyondFp32) {
  for (const double factor : {0x1p-40, 0x1p40})
    for (const Problem& problem : problems_of(Dtype::f32)) {
      Layer layer = make_layer(problem, verify::Fill::uniform, 13);
      for (Floats* operand : {&layer.operands.in, &layer.operands.gout, &layer.operands.weights})
        for (float& value : *operand) value *= static_cast<float>(factor);
      layer.operands.bias.assign(layer.operands.bias.size(), 0);
      expect_what_the_host_finds(layer, Judged::bounded);
    }
}

// Blocks go on to other rows and columns, in the buffers that the first left.
TEST(JudgedShapes, MoreRowsThanBlocks) {
  for (const int c_out : {32, 128}) {
    const Problem problem{.geometry = {}, .c_in = 4, .c_out = c_out};
    const int edge = c_out == 32 ? 38 : 24;
    const Layer bounded = make_layer(problem, verify::Fill::uniform, 19, edge);
    ASSERT_GT(bounded.elements(), 256 * 256 * (c_out == 32 ? 8 : 4));
    expect_what_the_host_finds(bounded, Judged::bounded);
    const Layer exact = make_layer(problem, verify::Fill::small, 19, edge);
    for (const Judged judged : {Judged::exact, Judged::integers})
      expect_what_the_host_finds(exact, judged);
  }
}

// Tiles of more pairs than both buffers hold.
TEST(JudgedShapes, TilesOfManyPairs) {
  Problem problem{.geometry = {}, .c_in = 32, .c_out = 32};
  problem.direction = Direction::wgrad;
  problem.geometry.kernel_size = {1, 1, 1};
  const Layer bounded = make_layer(problem, verify::Fill::uniform, 23, 44);
  ASSERT_GT(bounded.n_in(), 256 * 97);
  expect_what_the_host_finds(bounded, Judged::bounded);
  expect_what_the_host_finds(make_layer(problem, verify::Fill::small, 23, 44), Judged::integers);
}

TEST(JudgedShapes, NoRowsAndOne) {
  for (const int rows : {0, 1})
    for (Problem problem : problems_of(Dtype::f32)) {
      Layer layer{.problem = problem, .voxels = {}, .map = {}, .operands = {}};
      layer.problem.c_in *= problem.groups;
      layer.problem.c_out *= problem.groups;
      layer.voxels.box.shape = {1, 1, 1};
      layer.voxels.coords.resize(static_cast<size_t>(rows));
      layer.map = reference::build_map(layer.voxels, problem.geometry);
      layer.operands =
          verify::fill_operands(layer.problem, rows, rows, verify::Fill::uniform, 0, 31);
      expect_what_the_host_finds(layer, Judged::bounded);
    }
}

TEST(JudgedShapes, SomeSquaresOfWeightsAtATime) {
  Problem problem{.geometry = {}, .c_in = 64, .c_out = 64};
  problem.direction = Direction::wgrad;
  const Layer layer = make_layer(problem, verify::Fill::uniform, 29);
  // Of 32 x 32 channels one, of 64 x 64 one and four; too few for any.
  for (const int64_t partial_sums : {1 << 10, 1 << 12, 1 << 14, 1})
    expect_what_the_host_finds(layer, Judged::bounded, partial_sums);
}

}  // namespace
}  // namespace spb::test
