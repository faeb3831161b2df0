// SPDX-License-Identifier: Apache-2.0
#include "core/tensors.h"

#include <gtest/gtest.h>
#include <string>

#include "core/error.h"

namespace spb {
namespace {

constexpr MapSize kSize{.n_in = 100, .n_out = 40};

Problem problem_of(const std::string& direction, const std::string& dtype = "f16 ") {
  return parse_problem("strided k3x1x2 s2x2x2 d1x1x1 c5:7 " + dtype + direction, "test");
}

/// "in f16 100x5 read", with "?" for what may be missing.
std::string text(const TensorSpec& spec) {
  std::string line = std::string(name(spec.tensor)) + ' ' + info(spec.type).name + ' ';
  for (int i = 0; i < spec.shape.rank; ++i)
    line += (i > 0 ? "x" : "") + std::to_string(spec.shape.extents[static_cast<size_t>(i)]);
  return line + (spec.access == Access::read ? " read" : " write") + (spec.optional ? "?" : "");
}

std::string text(const Problem& problem) {
  std::string all;
  for (const TensorSpec& spec : tensors(problem, kSize))
    all += (all.empty() ? "" : ", ") + text(spec);
  return all;
}

// Worked by hand: the kernel has 6 offsets.
TEST(Tensors, AreThoseOfTheDirection) {
  EXPECT_EQ(text(problem_of("fprop")),
            "in f16 100x5 read, weights f16 7x6x5 read, out f16 40x7 write");
  EXPECT_EQ(text(problem_of("fprop bias")),
            "in f16 100x5 read, weights f16 7x6x5 read, out f16 40x7 write, bias f32 7 read?");
  EXPECT_EQ(text(problem_of("dgrad bias")),
            "gout f16 40x7 read, weights f16 7x6x5 read, gin f16 100x5 write");
  EXPECT_EQ(text(problem_of("wgrad")), "in f16 100x5 read, gout f16 40x7 read, gw f16 7x6x5 write");
  EXPECT_EQ(text(problem_of("wgrad bias", "tf32 ")),
            "in f32 100x5 read, gout f32 40x7 read, gw f32 7x6x5 write, gbias f32 7 write?");
}

TEST(Tensors, AResidualIsStoredAsOutputsAre) {
  EXPECT_EQ(
      text(problem_of("fprop residual+relu", "tf32 ")),
      "in f32 100x5 read, weights f32 7x6x5 read, out f32 40x7 write, residual f32 40x7 read");
  EXPECT_EQ(text(main_output(problem_of("fprop residual"), kSize)), "out f16 40x7 write");
  EXPECT_EQ(text(problem_of("fprop hswish")), text(problem_of("fprop")));
}

TEST(Tensors, IntegersHaveScales) {
  EXPECT_EQ(text(problem_of("fprop bias residual", "i8 ")),
            "in i8 100x5 read, weights i8 7x6x5 read, out i8 40x7 write, residual i8 40x7 read, "
            "scale f32 7 read, residual_scale f32 1 read, bias f32 7 read?");
  EXPECT_EQ(text(problem_of("fprop", "i8_f32 ")),
            "in i8 100x5 read, weights i8 7x6x5 read, out f32 40x7 write, scale f32 7 read");
  EXPECT_EQ(text(problem_of("fprop", "i8_i32 ")),
            "in i8 100x5 read, weights i8 7x6x5 read, out i32 40x7 write");
}

TEST(Tensors, TheOutputIsTheOneThatIsAlwaysWritten) {
  EXPECT_EQ(text(main_output(problem_of("fprop bias"), kSize)), "out f16 40x7 write");
  EXPECT_EQ(text(main_output(problem_of("dgrad bias"), kSize)), "gin f16 100x5 write");
  const TensorSpec gw = main_output(problem_of("wgrad bias"), kSize);
  EXPECT_EQ(text(gw), "gw f16 7x6x5 write");
  EXPECT_EQ(gw.shape.rows(), 42);
  EXPECT_EQ(gw.shape.columns(), 5);
  EXPECT_EQ(gw.bytes(), 420);
}

TEST(Tensors, WeightsHaveTheInputsOfAGroup) {
  const Problem fprop =
      parse_problem("strided k3x1x2 s2x2x2 d1x1x1 c6:4 f16 fprop bias g2", "test");
  EXPECT_EQ(text(fprop),
            "in f16 100x6 read, weights f16 4x6x3 read, out f16 40x4 write, bias f32 4 read?");
  Problem wgrad = fprop;
  wgrad.direction = Direction::wgrad;
  EXPECT_EQ(main_output(wgrad, kSize).shape.columns(), 3);
  EXPECT_EQ(weight_count(fprop), 4 * 6 * 3);
}

TEST(Tensors, AreUnknownOfAnUnknownDirection) {
  Problem problem;
  problem.direction = static_cast<Direction>(3);
  EXPECT_THROW(tensors(problem, kSize), Error);
  EXPECT_THROW(gemm_view(problem, kSize), Error);
  EXPECT_THROW(gemm_view(problem_of("wgrad"), kSize), Error);
}

TEST(Tensors, WeightsAreCountedInSixtyFourBits) {
  Problem problem;
  problem.c_in = problem.c_out = 1 << 16;
  EXPECT_EQ(weight_count(problem), 27 * (int64_t{1} << 32));
}

// Element (k, n) of the offset's matrix is weight [j][offset][i], of fprop W^T and of dgrad W.
TEST(GemmView, FindsEveryWeight) {
  for (const char* direction : {"fprop", "dgrad"}) {
    const Problem problem = problem_of(direction);
    const GemmView view = gemm_view(problem, kSize);
    const bool fprop = problem.direction == Direction::fprop;
    EXPECT_EQ(view.source, fprop ? Tensor::in : Tensor::gout);
    EXPECT_EQ(view.target, fprop ? Tensor::out : Tensor::gin);
    EXPECT_EQ(view.m, fprop ? 40 : 100);
    EXPECT_EQ(view.k, fprop ? 5 : 7);
    EXPECT_EQ(view.n, fprop ? 7 : 5);
    EXPECT_EQ(view.transposed, !fprop);
    for (int j = 0; j < 7; ++j)
      for (int o = 0; o < 6; ++o)
        for (int i = 0; i < 5; ++i) {
          const int k = fprop ? i : j, n = fprop ? j : i;
          EXPECT_EQ(o * view.offset_pitch + k * view.k_pitch + n * view.n_pitch,
                    (j * 6 + o) * 5 + i);
        }
  }
}

// Of each group: output channel j has the inputs of group j / 2 of 3.
TEST(GemmView, FindsEveryWeightOfEveryGroup) {
  for (const char* direction : {"fprop", "dgrad"}) {
    const Problem problem = parse_problem(
        std::string("strided k3x1x2 s2x2x2 d1x1x1 c6:4 f16 ") + direction + " g2", "test");
    const GemmView view = gemm_view(problem, kSize);
    const bool fprop = problem.direction == Direction::fprop;
    EXPECT_EQ(view.k, fprop ? 3 : 2);
    EXPECT_EQ(view.n, fprop ? 2 : 3);
    EXPECT_EQ(view.groups, 2);
    EXPECT_EQ(view.source_columns(), fprop ? 6 : 4);
    for (int j = 0; j < 4; ++j)
      for (int o = 0; o < 6; ++o)
        for (int i = 0; i < 3; ++i) {
          const int k = fprop ? i : j % 2, n = fprop ? j % 2 : i;
          EXPECT_EQ(j / 2 * view.group_pitch + o * view.offset_pitch + k * view.k_pitch +
                        n * view.n_pitch,
                    (j * 6 + o) * 3 + i);
        }
  }
}

}  // namespace
}  // namespace spb
