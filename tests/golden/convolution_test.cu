// SPDX-License-Identifier: Apache-2.0
// Outputs worked by hand, in every layout that they have: features [n, c], weights
// [c_out, kernel_volume, c_in], c_in fastest. Small integers, so that every order of summation
// and every storage gives the same numbers.
#include <algorithm>

#include "algorithms/device_run.h"
#include "algorithms/instances.h"
#include "golden.h"

namespace spb::golden {
namespace {

struct Example {
  const char* problem;  // up to the dtype
  VoxelSet voxels;
  Triples triples;       // (offset, out, in)
  naive::Inputs inputs;  // in, weights, bias, gout
  std::vector<float> out, gin, gw, gbias;
};

// Submanifold 1x1x3, c_in = 2, c_out = 3. Row 0 lies at z = 1, row 1 at z = 0; d = o - 1 along z.
//
//   pairs      u = 0: o = 0 from p = 1, o = 1 from p = 0    u = 1: o = 1 from p = 1, o = 2 from p =
//   0
//
//   in         p = 0: (1, 2)         p = 1: (3, -1)
//   gout       u = 0: (1, 0, 2)      u = 1: (-1, 3, 1)
//
//   W_0 =  1  2     W_1 =  3  4     W_2 =  5  6      a row for each output channel
//         -1  0            0  1            2 -2
//          7  8            9 -9           -3  1
//
//   out[0] = (10, 20, 30) + W_0 (3, -1) + W_1 (1, 2)
//          = (10, 20, 30) + (1, -3, 13) + (11, 2, -9) = (22, 19, 34)
//   out[1] = (10, 20, 30) + W_1 (3, -1) + W_2 (1, 2)
//          = (10, 20, 30) + (5, -1, 36) + (17, -2, -1) = (32, 17, 65)
//
//   gin[0] = W_1^T (1, 0, 2) + W_2^T (-1, 3, 1) = (21, -14) + (-2, -11) = (19, -25)
//   gin[1] = W_0^T (1, 0, 2) + W_1^T (-1, 3, 1) = (15, 18) + (6, -10)   = (21, 8)
//
//   gW_0 = gout[0] x in[1]                   = (3 -1 | 0 0 | 6 -2)
//   gW_1 = gout[0] x in[0] + gout[1] x in[1] = (1 2 | 0 0 | 2 4) + (-3 1 | 9 -3 | 3 -1)
//                                            = (-2 3 | 9 -3 | 5 3)
//   gW_2 = gout[1] x in[0]                   = (-1 -2 | 3 6 | 1 2)
//
// Adjoint: sum gout (out - bias) = 20 + 4, sum gin in = -31 + 55, sum gW W = -10 - 9 + 43; all 24.
Example submanifold() {
  return {"subm k1x1x3 s1x1x1 d1x1x1 c2:3 ",
          {{{0, 0, 0, 1}, {0, 0, 0, 0}}, {1, {1, 1, 2}}, {}},
          {{0, 0, 1}, {1, 0, 0}, {1, 1, 1}, {2, 1, 0}},
          {.in = {1, 2, 3, -1},
           .weights = {1, 2, 3, 4, 5, 6,     // output channel 0: W_0, W_1, W_2
                       -1, 0, 0, 1, 2, -2,   // 1
                       7, 8, 9, -9, -3, 1},  // 2
           .bias = {10, 20, 30},
           .gout = {1, 0, 2, -1, 3, 1}},
          {22, 19, 34, 32, 17, 65},
          {19, -25, 21, 8},
          {3, -1, -2, 3, -1, -2,  // output channel 0: gW_0, gW_1, gW_2
           0, 0, 9, -3, 3, 6,     // 1
           6, -2, 5, 3, 1, 2},    // 2
          {0, 3, 3}};
}

// The strided example of strided_test.cpp with one channel: kernel 4x1x3, stride 2x1x1, dilation
// 1x1x2. in = (2, 3), gout = (1, 2, 3, 4), W_o = o + 1, bias 100.
//
//   out  0: 11 * 2 = 22   1: 10 * 2 = 20   2: 5 * 2 + 9 * 3 = 37   3: 4 * 2 + 8 * 3 = 32
//   gin  0: 11 * 1 + 10 * 2 + 5 * 3 + 4 * 4 = 62                   1: 9 * 3 + 8 * 4 = 59
//   gW   3: 4 * 2 = 8   4: 3 * 2 = 6   7: 4 * 3 = 12   8: 3 * 3 = 9   9: 2 * 2 = 4   10: 1 * 2 = 2
Example strided() {
  return {"strided k4x1x3 s2x1x1 d1x1x2 c1:1 ",
          {{{0, 2, 0, 1}, {0, 3, 0, 3}}, {1, {4, 1, 4}}, {}},
          {{3, 3, 0}, {4, 2, 0}, {7, 3, 1}, {8, 2, 1}, {9, 1, 0}, {10, 0, 0}},
          {.in = {2, 3},
           .weights = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
           .bias = {100},
           .gout = {1, 2, 3, 4}},
          {122, 120, 137, 132},
          {62, 59},
          {0, 0, 0, 8, 6, 0, 0, 12, 9, 4, 2, 0},
          {10}};
}

// Back from a strided layer 1x1x2, stride 1x1x2: center 0, so that fine z has u = z / 2 and o = z
// modulo 2. Fine rows lie at z = 3, 0, 2; coarse rows are u = 0, 1.
//
//   in  (4), (-2)     gout  (1, 2), (0, 3), (-1, 1)     W_0 = (2, 3)   W_1 = (5, -1)   bias (10,
//   20)
//
//   out  0: (10, 20) - 2 W_1 = (0, 22)   1: ... + 4 W_0 = (18, 32)   2: ... - 2 W_0 = (6, 14)
//   gin  0: W_0 (0, 3) = 9               1: W_1 (1, 2) + W_0 (-1, 1) = 3 + 1 = 4
//   gW_0 = 4 (0, 3) - 2 (-1, 1) = (2, 10)        gW_1 = -2 (1, 2) = (-2, -4)
//
// Adjoint: sum gout (out - bias) = -6 + 36 - 2, sum gin in = 36 - 8; both 28.
Example inverse() {
  return {"inverse k1x1x2 s1x1x2 d1x1x1 c1:2 ",
          {{{0, 0, 0, 3}, {0, 0, 0, 0}, {0, 0, 0, 2}}, {1, {1, 1, 4}}, {}},
          {{0, 1, 0}, {0, 2, 1}, {1, 0, 1}},
          {.in = {4, -2},
           .weights = {2, 5,    // output channel 0: W_0, W_1
                       3, -1},  // 1
           .bias = {10, 20},
           .gout = {1, 2, 0, 3, -1, 1}},
          {0, 22, 18, 32, 6, 14},
          {9, 4},
          {2, -2, 10, -4},
          {0, 6}};
}

// Generative 1x1x3, stride 1x1x2: p = 2 u + o - 1 of u = 1 (row 0) and u = 0 (row 1), within 4
// cells. u = 0 loses p = -1.
//
//   in (4, -1)   gout (1, 2, 3, 4)   W_o = 2, 3, 5   bias 100
//
//   out  0: 3 * -1 = -3   1: 2 * 4 + 5 * -1 = 3   2: 3 * 4 = 12   3: 5 * 4 = 20
//   gin  0: 2 * 2 + 3 * 3 + 5 * 4 = 33            1: 3 * 1 + 5 * 2 = 13
//   gW   0: 2 * 4 = 8     1: 1 * -1 + 3 * 4 = 11  2: 2 * -1 + 4 * 4 = 14
Example generative() {
  return {"generative k1x1x3 s1x1x2 d1x1x1 c1:1 ",
          {{{0, 0, 0, 1}, {0, 0, 0, 0}}, {1, {1, 1, 2}}, {}},
          {{0, 1, 0}, {1, 0, 1}, {1, 2, 0}, {2, 1, 1}, {2, 3, 0}},
          {.in = {4, -1}, .weights = {2, 3, 5}, .bias = {100}, .gout = {1, 2, 3, 4}},
          {97, 103, 112, 120},
          {33, 13},
          {8, 11, 14},
          {10}};
}

Problem problem_of(const Example& example, const char* dtype, Direction direction) {
  Problem problem =
      parse_problem(std::string(example.problem) + dtype + " " + name(direction), "test");
  problem.bias = direction != Direction::dgrad;
  return problem;
}

const std::vector<float>& result_of(const Example& example, Direction direction) {
  return direction == Direction::fprop   ? example.out
         : direction == Direction::dgrad ? example.gin
                                         : example.gw;
}

constexpr Direction kDirections[] = {Direction::fprop, Direction::dgrad, Direction::wgrad};

using Convolution = ByName;

TEST_P(Convolution, IsThatWorkedByHand) {
  if (!(algorithm_named(GetParam()).claim.groups & claim_of(GroupKind::one)))
    GTEST_SKIP() << "worked by hand with one group";
  for (const Example& example : {submanifold(), strided(), inverse(), generative()})
    for (const Direction direction : kDirections)
      for (const char* dtype : {"f32", "tf32", "f16", "bf16"}) {
        const Problem problem = problem_of(example, dtype, direction);
        SCOPED_TRACE(to_text(problem));
        DeviceRun device(algorithm_named(GetParam()), problem, example.voxels);
        device.set_inputs(example.inputs);
        EXPECT_EQ(device.run(), result_of(example, direction));
        if (direction == Direction::wgrad) {
          EXPECT_EQ(device.bias_gradient(), example.gbias);
        }
        MapSet map = device.map();
        std::ranges::sort(map.triples);
        EXPECT_EQ(map.triples, example.triples);
      }
}

SPB_FOR_ALGORITHMS(Convolution);

void expect_values(const Expected& got, const std::vector<float>& expected) {
  EXPECT_EQ(got.value, std::vector<double>(expected.begin(), expected.end()));
}

TEST(ReferenceConvolution, IsThatWorkedByHand) {
  for (const Example& example : {submanifold(), strided(), inverse(), generative()})
    for (const Direction direction : kDirections) {
      const Problem problem = problem_of(example, "f32", direction);
      SCOPED_TRACE(to_text(problem));
      const MapSet map = reference::build_map(example.voxels, problem.geometry);
      ASSERT_EQ(map.triples, example.triples);
      const reference::Inputs inputs{example.inputs.in, example.inputs.weights, example.inputs.bias,
                                     example.inputs.gout};
      const int64_t n_in = input_rows(map, example.voxels);
      for (const reference::Result& result :
           {reference::compute(problem, map, n_in, inputs),
            reference::compute_exact(problem, map, n_in, inputs)}) {
        expect_values(result.main, result_of(example, direction));
        if (direction == Direction::wgrad) expect_values(result.bias, example.gbias);
      }
    }
}

}  // namespace
}  // namespace spb::golden
