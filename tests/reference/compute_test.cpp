// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

#include "reference/naive.h"
#include "reference/reference.h"

namespace spb {
namespace {

/// One product of one output element.
struct Term {
  int64_t element;
  double a, b;
};

struct Case {
  Problem problem;
  VoxelSet voxels;
  MapSet map;
  std::vector<float> in, weights, bias, gout, residual;
  reference::Inputs inputs() const { return {in, weights, bias, gout, residual}; }
  int64_t n_in() const { return voxels.size(); }
  int64_t n_out() const { return static_cast<int64_t>(map.out_coords.size()); }
};

int64_t weight_count(const Case& c) {
  return int64_t{c.problem.c_out} * c.problem.kernel_volume() * c.problem.c_in / c.problem.groups;
}

/// One group, as often as depthwise, or several of up to 4 channels of a side.
void draw_groups(std::mt19937_64& random, Problem& problem) {
  const auto kind = random() % 3;
  if (kind == 0) return;
  problem.groups = 1 + static_cast<int>(random() % 7);
  const auto channels = [&] { return kind == 1 ? 1 : 1 + static_cast<int>(random() % 4); };
  problem.c_in = problem.groups * channels();
  problem.c_out = problem.groups * channels();
}

/// Values are integers -9 ... 9, divided by `scale`.
Case random_case(std::mt19937_64& random, Direction direction, float scale) {
  Case c;
  c.voxels = test::random_voxels(random, 5);
  c.problem.geometry = test::random_geometry(random);
  c.problem.direction = direction;
  c.problem.c_in = 1 + static_cast<int>(random() % 20);
  c.problem.c_out = 1 + static_cast<int>(random() % 20);
  draw_groups(random, c.problem);
  c.problem.bias = random() % 2;
  c.map = test::naive_map(c.voxels, c.problem.geometry);
  const auto draw = [&](int64_t count) {
    std::vector<float> values(static_cast<size_t>(count));
    for (float& v : values) v = static_cast<float>(static_cast<int>(random() % 19) - 9) / scale;
    return values;
  };
  c.in = draw(c.n_in() * c.problem.c_in);
  c.weights = draw(weight_count(c));
  c.bias = draw(c.problem.c_out);
  c.gout = draw(c.n_out() * c.problem.c_out);
  if (direction != Direction::fprop) return c;
  c.problem.epilogue.residual = random() % 2;
  if (c.problem.epilogue.residual) c.residual = draw(c.n_out() * c.problem.c_out);
  return c;
}

/// The products of every element, straight from the formulas, kernel offsets ascending.
std::vector<Term> terms(const Case& c) {
  const Problem& p = c.problem;
  std::vector<Term> result;
  if (p.direction == Direction::fprop && p.bias)
    for (int64_t u = 0; u < c.n_out(); ++u)
      for (int j = 0; j < p.c_out; ++j)
        result.push_back({u * p.c_out + j, 1, c.bias[static_cast<size_t>(j)]});
  for (size_t i = 0; i < c.residual.size(); ++i)
    result.push_back({static_cast<int64_t>(i), 1, c.residual[i]});
  const int ins = p.c_in / p.groups, outs = p.c_out / p.groups;  // of a group
  for (const Triple& t : c.map.triples)
    for (int j = 0; j < p.c_out; ++j)
      for (int i = j / outs * ins; i < (j / outs + 1) * ins; ++i) {
        const int64_t w = (int64_t{j} * p.kernel_volume() + t.offset) * ins + i % ins;
        const int64_t x = int64_t{t.in} * p.c_in + i, y = int64_t{t.out} * p.c_out + j;
        const double in = c.in[static_cast<size_t>(x)], gout = c.gout[static_cast<size_t>(y)];
        const double weight = c.weights[static_cast<size_t>(w)];
        if (p.direction == Direction::fprop) result.push_back({y, in, weight});
        if (p.direction == Direction::dgrad) result.push_back({x, gout, weight});
        if (p.direction == Direction::wgrad) result.push_back({w, gout, in});
      }
  return result;
}

int64_t elements(const Case& c) {
  switch (c.problem.direction) {
    case Direction::fprop:
      return c.n_out() * c.problem.c_out;
    case Direction::dgrad:
      return c.n_in() * c.problem.c_in;
    case Direction::wgrad:
      return weight_count(c);
  }
  return 0;
}

constexpr Direction kDirections[] = {Direction::fprop, Direction::dgrad, Direction::wgrad};

TEST(Compute, MatchesTheDefinitionOnRandomProblems) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 120; ++round) {
    const Case c = random_case(random, kDirections[round % 3], 7);
    const auto n = static_cast<size_t>(elements(c));
    std::vector<double> value(n), abs(n), count(n);
    for (const Term& term : terms(c)) {
      const auto i = static_cast<size_t>(term.element);
      value[i] += term.a * term.b;
      abs[i] += std::abs(term.a * term.b);
      count[i] += 1;
    }
    const auto result = reference::compute(c.problem, c.map, c.n_in(), c.inputs());
    ASSERT_EQ(result.main.value.size(), n);
    ASSERT_EQ(result.main.rows * result.main.cols, static_cast<int64_t>(n));
    for (size_t i = 0; i < n; ++i) {
      ASSERT_NEAR(result.main.value[i], value[i], 1e-12 * (1 + abs[i])) << "round " << round;
      ASSERT_NEAR(result.main.abs_sum[i], abs[i], 1e-5 * (1 + abs[i]));
      ASSERT_EQ(result.main.terms[i], count[i]);
      ASSERT_EQ(result.main.error_scale[i] > 0, abs[i] > 0);
    }
  }
}

TEST(Compute, ExactModeIsExact) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 120; ++round) {
    const Case c = random_case(random, kDirections[round % 3], 1);
    const auto n = static_cast<size_t>(elements(c));
    std::vector<double> value(n), abs(n);
    for (const Term& term : terms(c)) {
      value[static_cast<size_t>(term.element)] += term.a * term.b;
      abs[static_cast<size_t>(term.element)] += std::abs(term.a * term.b);
    }
    const auto result = reference::compute_exact(c.problem, c.map, c.n_in(), c.inputs());
    ASSERT_EQ(result.main.value, value) << "round " << round;
    ASSERT_EQ(result.main.abs_sum, abs) << "round " << round;
  }
}

TEST(Compute, ScaleIsNearTheExactRootSumOfSquaresOfRunningSums) {
  // One row, many terms: the tile formula against the sum over every single partial sum.
  std::mt19937_64 random(4);
  for (const float sign : {0.0f, 1.0f}) {
    Case c;
    c.problem.c_in = 32;
    c.problem.c_out = 8;
    c.problem.bias = false;
    c.voxels.box.shape = {3, 3, 3};
    for (int i = 0; i < 27; ++i) c.voxels.coords.push_back({0, i / 9, i / 3 % 3, i % 3});
    c.map = test::naive_map(c.voxels, c.problem.geometry);
    const auto draw = [&](int64_t count) {
      std::vector<float> values(static_cast<size_t>(count));
      for (float& v : values)
        v = sign + static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 1000.0f;
      return values;
    };
    c.in = draw(27 * 32);
    c.weights = draw(weight_count(c));
    c.gout = draw(27 * 8);
    const auto result = reference::compute(c.problem, c.map, 27, c.inputs());
    const int64_t center = 13;  // the row with all 27 neighbors
    for (int j = 0; j < 8; ++j) {
      std::vector<Term> own;
      for (const Term& term : terms(c))
        if (term.element == center * 8 + j) own.push_back(term);
      const auto squares_of_running_sums = [&] {
        double running = 0, squares = 0;
        for (const Term& term : own) {
          running += term.a * term.b;
          squares += running * running;
        }
        return squares;
      };
      const double forward = squares_of_running_sums();
      std::ranges::reverse(own);
      const double squares = std::max(forward, squares_of_running_sums());
      const double q = result.main.error_scale[static_cast<size_t>(center * 8 + j)];
      EXPECT_GT(q / std::sqrt(squares), 0.7);
      EXPECT_LT(q / std::sqrt(squares), 2.4);
    }
  }
}

/// y of s, from the definitions.
double activated(Activation activation, double slope, double s) {
  if (activation == Activation::relu) return std::max(s, 0.0);
  if (activation == Activation::leaky_relu) return s >= 0 ? s : slope * s;
  if (activation == Activation::hswish) return s <= -3 ? 0 : s >= 3 ? s : s * (s + 3) / 6;
  return s;
}

TEST(Compute, ActivationsAreThoseOfTheDefinition) {
  std::mt19937_64 random(7);
  for (const auto activation : {Activation::relu, Activation::leaky_relu, Activation::hswish})
    for (int round = 0; round < 20; ++round) {
      Case c = random_case(random, Direction::fprop, 7);
      const Expected plain = reference::compute(c.problem, c.map, c.n_in(), c.inputs()).main;
      c.problem.epilogue.activation = activation;
      c.problem.epilogue.slope = 0.125f;
      const Expected behind = reference::compute(c.problem, c.map, c.n_in(), c.inputs()).main;
      EXPECT_EQ(behind.before, plain.value);
      EXPECT_EQ(behind.terms, plain.terms);
      for (size_t i = 0; i < plain.value.size(); ++i) {
        const double s = plain.value[i], y = activated(activation, 0.125, s);
        ASSERT_NEAR(behind.value[i], y, 1e-14 * (1 + std::abs(s))) << s;
        // An error of the sum may become as large as the activation is steep.
        const double scale = plain.error_scale[i];
        for (const double error : {-1e-6 * scale, 1e-6 * scale})
          ASSERT_LE(std::abs(activated(activation, 0.125, s + error) - y),
                    1e-6 * behind.error_scale[i] * (1 + 1e-6) + 1e-15);
      }
    }
}

TEST(Compute, ExactActivationsAreThoseOfFp32) {
  std::mt19937_64 random(8);
  Case c = random_case(random, Direction::fprop, 1);
  c.problem.epilogue.activation = Activation::hswish;
  const auto result = reference::compute_exact(c.problem, c.map, c.n_in(), c.inputs()).main;
  for (size_t i = 0; i < result.value.size(); ++i) {
    const auto s = static_cast<float>(result.before[i]);
    const float product = s * std::clamp(s + 3, 0.f, 6.f);
    ASSERT_EQ(result.value[i], double{product * (11184811.f / 67108864.f)}) << s;
  }
}

// Of one group and of several, which the reference sums by other types.
TEST(Compute, ExactActivationsSeeSumsThatLeaveFp32) {
  for (const int groups : {1, 2}) {
    Case c;
    c.problem.c_in = c.problem.c_out = c.problem.groups = groups;
    c.problem.bias = false;
    c.problem.epilogue = {.activation = Activation::leaky_relu, .slope = 0.125f};
    c.voxels = {{{0, 0, 0, 0}}, {1, {1, 1, 1}}, {}};
    c.map = test::naive_map(c.voxels, c.problem.geometry);
    c.in.assign(static_cast<size_t>(groups), -3e38f);
    c.weights.assign(static_cast<size_t>(weight_count(c)), 2.f);
    for (const double value :
         reference::compute_exact(c.problem, c.map, c.n_in(), c.inputs()).main.value)
      EXPECT_EQ(value, -INFINITY) << groups << " groups: not an eighth of -6e38";
  }
}

TEST(Compute, ReluOfMinusInfinityIsZeroWithoutAnError) {
  std::mt19937_64 random(9);
  Case c = random_case(random, Direction::fprop, 1);
  while (c.n_out() == 0) c = random_case(random, Direction::fprop, 1);
  c.problem.bias = true;
  c.bias.assign(c.bias.size(), -INFINITY);
  c.problem.epilogue = {.activation = Activation::relu};
  const auto result = reference::compute(c.problem, c.map, c.n_in(), c.inputs()).main;
  for (size_t i = 0; i < result.value.size(); ++i) {
    ASSERT_EQ(result.value[i], 0);
    ASSERT_EQ(result.error_scale[i], 0);
  }
}

TEST(Compute, SampledRowsEqualTheFullResult) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 40; ++round) {
    const Case c = random_case(random, kDirections[round % 2], 7);
    const int64_t n_rows = c.problem.direction == Direction::fprop ? c.n_out() : c.n_in();
    std::vector<int64_t> rows(static_cast<size_t>(n_rows));
    std::iota(rows.begin(), rows.end(), 0);
    std::shuffle(rows.begin(), rows.end(), random);
    rows.resize(rows.size() / 2);
    if (rows.empty()) continue;
    const Expected full = reference::compute(c.problem, c.map, c.n_in(), c.inputs()).main;
    const Expected part = reference::compute(c.problem, c.map, c.n_in(), c.inputs(), rows).main;
    ASSERT_EQ(part.rows, static_cast<int64_t>(rows.size()));
    for (int64_t r = 0; r < part.rows; ++r)
      for (int64_t j = 0; j < part.cols; ++j) {
        const auto at = static_cast<size_t>(r * part.cols + j);
        const auto in_full = static_cast<size_t>(rows[static_cast<size_t>(r)] * part.cols + j);
        ASSERT_NEAR(part.value[at], full.value[in_full], 1e-12 * (1 + full.abs_sum[in_full]));
        ASSERT_EQ(part.terms[at], full.terms[in_full]);
      }
  }
}

TEST(Compute, BiasGradientSumsEveryRow) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 30; ++round) {
    Case c = random_case(random, Direction::wgrad, 1);
    c.problem.bias = true;
    std::vector<double> sums(static_cast<size_t>(c.problem.c_out));
    for (size_t i = 0; i < c.gout.size(); ++i) sums[i % sums.size()] += c.gout[i];
    EXPECT_EQ(reference::compute(c.problem, c.map, c.n_in(), c.inputs()).bias.value, sums);
    EXPECT_EQ(reference::compute_exact(c.problem, c.map, c.n_in(), c.inputs()).bias.value, sums);
    c.problem.bias = false;
    EXPECT_EQ(reference::compute(c.problem, c.map, c.n_in(), c.inputs()).bias.rows, 0);
  }
}

TEST(Compute, EmptyInputsGiveBiasOrZero) {
  Case c;
  c.problem.direction = Direction::wgrad;
  c.weights.assign(static_cast<size_t>(weight_count(c)), 1.0f);
  const auto result = reference::compute(c.problem, c.map, 0, c.inputs());
  EXPECT_TRUE(std::ranges::all_of(result.main.value, [](double v) { return v == 0; }));
  EXPECT_EQ(result.bias.value.size(), 16u);
  c.problem.direction = Direction::fprop;
  EXPECT_EQ(reference::compute(c.problem, c.map, 0, c.inputs()).main.rows, 0);
}

}  // namespace
}  // namespace spb
