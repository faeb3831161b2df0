// SPDX-License-Identifier: Apache-2.0
#include "verify/single_product.h"

#include <cmath>

#include "core/dtype.h"
#include "core/power_of_two.h"
#include "core/tensors.h"

namespace spb::verify {
namespace {

struct Range {
  int low, high;  // exponents, inclusive
};

/// Operands that are stored wider than they are multiplied stay away from where their parts, or
/// products of these, were subnormal or overflowed.
Range exponents_of(const Math& math) {
  constexpr int kRoom = 26;
  const StorageInfo& type = math.input();
  const int high = std::ilogb(type.max);
  if (math.operand_bits == type.bits) return {type.min_exponent - (type.bits - 1), high};
  return {type.min_exponent + kRoom, math.additions > 1 ? high - 1 : high};
}

/// What overflows is an infinity where the store rounds, and where scalars are multiplied. How sums
/// of tensor cores overflow is nowhere specified.
bool overflows_to_infinity(const Math& math) {
  return math.multiply == Multiply::fma || math.output().max < info(Storage::bf16).max;
}

}  // namespace

Draw whole_range(int, Dtype dtype) {
  const Math& math = info(dtype);
  const Range range = exponents_of(math);
  return {.kind = Draw::Kind::significand,
          .first = range.low,
          .bits = math.operand_bits,
          .count = static_cast<uint32_t>(range.high - range.low + 1),
          .one_in = 32,
          .special = (2 - power_of_two(1 - math.operand_bits)) * power_of_two(range.high)};
}

Draw near_one(int, Dtype dtype) {
  const Math& math = info(dtype);
  const Range range{-4, overflows_to_infinity(math) ? 4 : -1};
  return {.kind = Draw::Kind::significand,
          .first = range.low,
          // The parts of a product of 3xtf32 add up exactly where one operand is a power of two.
          .bits = math.additions > 1 ? 1 : math.operand_bits,
          .count = static_cast<uint32_t>(range.high - range.low + 1),
          .one_in = 4,
          .special = 1};
}

std::vector<int64_t> one_per_column(const Problem& problem, int64_t n_rows, uint64_t seed) {
  constexpr uint64_t kStream = 98;
  SplitMix random(seed, kStream);
  const auto below = [&](int64_t count) {
    return static_cast<int64_t>(random.below(static_cast<uint32_t>(count)));
  };
  const int64_t c_in = problem.group_c_in(), c_out = problem.group_c_out();
  const int64_t weights = weight_count(problem) / problem.c_out;  // of one output channel
  std::vector<int64_t> kept;
  switch (problem.direction) {
    case Direction::fprop:
      for (int64_t j = 0; j < problem.c_out; ++j) kept.push_back(j * weights + below(weights));
      break;
    case Direction::dgrad:
      for (int64_t i = 0; i < problem.c_in; ++i) {
        const int64_t channel = i / c_in * c_out + below(c_out);
        const int64_t offset = below(problem.kernel_volume());
        kept.push_back(channel * weights + offset * c_in + i % c_in);
      }
      break;
    case Direction::wgrad:
      for (int64_t j = 0; n_rows > 0 && j < problem.c_out; ++j)
        kept.push_back(below(n_rows) * problem.c_out + j);
      break;
  }
  return kept;
}

}  // namespace spb::verify
