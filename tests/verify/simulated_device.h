// SPDX-License-Identifier: Apache-2.0
// A device in a few loops: rounds as one would, in a chosen order, and can be made wrong on
// purpose.
#pragma once

#include <algorithm>
#include <bit>
#include <random>
#include <utility>
#include <vector>

#include "core/tensors.h"
#include "reference/naive.h"
#include "reference/reference.h"
#include "verify/verify.h"

namespace spb::test {

/// A problem with its map; 64 rows of bits decide everything.
struct Setup {
  Problem problem;
  VoxelSet voxels;
  MapSet map;
  int64_t n_in() const { return voxels.size(); }
  int64_t n_out() const { return static_cast<int64_t>(map.out_coords.size()); }
};

inline Problem make_problem(Dtype dtype, Direction direction, int c_in, int c_out) {
  Problem problem;
  problem.c_in = c_in;
  problem.c_out = c_out;
  problem.dtype = dtype;
  problem.direction = direction;
  return problem;
}

inline Setup make_setup(Dtype dtype, Direction direction, int c_in, int c_out, uint64_t seed,
                        int shape = 7) {
  std::mt19937_64 random(seed);
  Setup s;
  s.problem = make_problem(dtype, direction, c_in, c_out);
  s.voxels.box.shape = {shape, shape, shape};
  for (int i = 0; i < shape * shape * shape; ++i)
    if (random() % 3 == 0)
      s.voxels.coords.push_back({0, i / shape / shape, i / shape % shape, i % shape});
  std::ranges::shuffle(s.voxels.coords, random);
  s.map = reference::build_map(s.voxels, s.problem.geometry);
  return s;
}

/// The setup with groups: `groups` times its channels.
inline Setup grouped(Setup s, int groups) {
  s.problem.c_in *= groups;
  s.problem.c_out *= groups;
  s.problem.groups = groups;
  return s;
}

enum class Order { forward, backward, split };

/// The parts of the product of 3xtf32 (core/dtype.cpp).
enum Parts : unsigned { kHighHigh = 1, kLowHigh = 2, kHighLow = 4, kAllParts = 7 };

/// What the device does, and what it does wrong.
struct Behavior {
  Order order = Order::forward;
  Dtype operands = Dtype::f32;     ///< rounded to this beside the problem's own rounding
  unsigned parts = kAllParts;      ///< of the products of 3xtf32, those that are added
  Dtype partials = Dtype::f32;     ///< tile sums rounded to this
  Dtype accumulator = Dtype::f32;  ///< every tile's addition rounded to this (atomics)
  float scale = 1;                 ///< before the store
  Dtype store = Dtype::f32;        ///< a further rounding before the store
  int64_t missed_triple = -1;
  int swapped_offset = -1;  ///< uses the weights of the mirrored offset, and back
};

/// An operand of 3xtf32.
struct Split {
  explicit Split(float value)
      : high(round_operand(value, Dtype::tf32)),
        low(std::bit_cast<float>(std::bit_cast<uint32_t>(value - high) & ~0x1FFFu)) {}
  float high, low;
};

/// sum += a * b as one multiply-add of the dtype, or the `parts` of three.
inline void multiply_add(float& sum, float a, float b, Dtype dtype, unsigned parts) {
  if (dtype != Dtype::tf32x3) {
    sum += a * b;
    return;
  }
  const Split x(a), y(b);
  if (parts & kLowHigh) sum += x.low * y.high;
  if (parts & kHighLow) sum += x.high * y.low;
  if (parts & kHighHigh) sum += x.high * y.high;
}

/// out, gin or gw of the device.
inline std::vector<float> simulate(const Setup& s, const HostOperands& given,
                                   const Behavior& behavior = {}) {
  const Problem& p = s.problem;
  const HostOperands o = verify::rounded(verify::rounded(given, p.dtype), behavior.operands);
  const int64_t kv = p.kernel_volume();
  const int64_t elements = p.direction == Direction::fprop   ? s.n_out() * p.c_out
                           : p.direction == Direction::dgrad ? s.n_in() * p.c_in
                                                             : weight_count(p);
  std::vector<float> acc(static_cast<size_t>(elements)), second(acc.size());
  const auto n = static_cast<int64_t>(s.map.triples.size());
  for (int64_t step = 0; step < n; ++step) {
    const int64_t k = behavior.order == Order::backward ? n - 1 - step : step;
    if (k == behavior.missed_triple) continue;
    const Triple& t = s.map.triples[static_cast<size_t>(k)];
    int64_t offset = t.offset;
    if (offset == behavior.swapped_offset)
      offset = kv - 1 - offset;
    else if (kv - 1 - offset == behavior.swapped_offset)
      offset = behavior.swapped_offset;
    std::vector<float>& sums = behavior.order == Order::split && k % 2 == 1 ? second : acc;
    const auto add_tile = [&](int64_t element, int64_t depth, const auto& factors) {
      const auto add_product = [&](float& to, int64_t q) {
        const auto [a, b] = factors(q);
        multiply_add(to, a, b, p.dtype, behavior.parts);
      };
      float& sum = sums[static_cast<size_t>(element)];
      const bool exact_tiles =
          behavior.partials == Dtype::f32 && behavior.accumulator == Dtype::f32;
      if (exact_tiles) {
        for (int64_t q = 0; q < depth; ++q) add_product(sum, q);
        return;
      }
      float tile = 0;
      for (int64_t q = 0; q < depth; ++q) add_product(tile, q);
      sum = round_operand(sum + round_operand(tile, behavior.partials), behavior.accumulator);
    };
    const auto in = [&](int64_t i) {
      return o.in[static_cast<size_t>(t.in * int64_t{p.c_in} + i)];
    };
    const auto gout = [&](int64_t j) {
      return o.gout[static_cast<size_t>(t.out * int64_t{p.c_out} + j)];
    };
    const int64_t ins = p.c_in / p.groups, outs = p.c_out / p.groups;  // of a group
    const auto first_in = [&](int64_t j) { return j / outs * ins; };
    const auto weight = [&](int64_t j, int64_t i) {
      return o.weights[static_cast<size_t>((j * kv + offset) * ins + i % ins)];
    };
    if (p.direction == Direction::fprop)
      for (int64_t j = 0; j < p.c_out; ++j)
        add_tile(t.out * int64_t{p.c_out} + j, ins, [&](int64_t q) {
          const int64_t i = first_in(j) + q;
          return std::pair(in(i), weight(j, i));
        });
    else if (p.direction == Direction::dgrad)
      for (int64_t i = 0; i < p.c_in; ++i)
        add_tile(t.in * int64_t{p.c_in} + i, outs, [&](int64_t q) {
          const int64_t j = i / ins * outs + q;
          return std::pair(gout(j), weight(j, i));
        });
    else
      for (int64_t j = 0; j < p.c_out; ++j)
        for (int64_t i = 0; i < ins; ++i)
          add_tile((j * kv + offset) * ins + i, 1,
                   [&](int64_t) { return std::pair(gout(j), in(first_in(j) + i)); });
  }
  const bool bias = p.direction == Direction::fprop && p.bias;
  for (size_t e = 0; e < acc.size(); ++e) {
    float sum = acc[e] + second[e];
    if (bias) sum += o.bias[e % static_cast<size_t>(p.c_out)];
    sum = round_operand(sum * behavior.scale, behavior.store);
    acc[e] = round_output(static_cast<double>(sum), p.dtype);
  }
  return acc;
}

/// Exact operands thin enough, with their expectation.
struct ExactCase {
  HostOperands operands;
  Expected expected;
};

inline reference::Inputs inputs_of(const HostOperands& o) {
  return {o.in, o.weights, o.bias, o.gout, o.residual, o.scale, o.residual_scale};
}

inline ExactCase exact_case(const Setup& s, verify::Fill fill, uint64_t seed) {
  for (int level = 0; level < 24; ++level) {
    ExactCase c;
    c.operands = verify::fill_operands(s.problem, s.n_in(), s.n_out(), fill, level, seed);
    const auto rounded = verify::rounded(c.operands, s.problem.dtype);
    c.expected = reference::compute_exact(s.problem, s.map, s.n_in(), inputs_of(rounded)).main;
    if (!verify::is_thinned(fill) || verify::exact_enough(c.expected, s.problem.dtype)) return c;
  }
  return {};
}

inline verify::Comparison compare_fp(const Setup& s, verify::Fill fill, uint64_t seed,
                                     const Behavior& behavior,
                                     const verify::ArithmeticModel& model = {}) {
  const auto operands = verify::fill_operands(s.problem, s.n_in(), s.n_out(), fill, 0, seed);
  const auto rounded = verify::rounded(operands, s.problem.dtype);
  const auto expected = reference::compute(s.problem, s.map, s.n_in(), inputs_of(rounded)).main;
  return verify::compare_bounded(expected, simulate(s, operands, behavior), s.problem.dtype, model);
}

inline verify::Comparison compare_ints(const Setup& s, verify::Fill fill, uint64_t seed,
                                       const Behavior& behavior) {
  const ExactCase c = exact_case(s, fill, seed);
  return verify::compare_exact(c.expected, simulate(s, c.operands, behavior), s.problem.dtype);
}

constexpr Dtype kDtypes[] = {Dtype::f32, Dtype::tf32, Dtype::f16, Dtype::bf16, Dtype::tf32x3};
constexpr Direction kDirections[] = {Direction::fprop, Direction::dgrad, Direction::wgrad};

}  // namespace spb::test
