// SPDX-License-Identifier: Apache-2.0
#include "verify/single_product.h"

#include <cmath>
#include <utility>

#include "core/dtype.h"
#include "core/tensors.h"
#include "verify/rounding.h"

namespace spb::verify {
namespace {

/// An odd integer of `bits` bits as a fraction of its highest one: 1 for one bit.
double odd_significand(Random& random, int bits) {
  if (bits == 1) return 1;
  const uint32_t half = 1u << (bits - 1);
  return (half + 2 * random.below(half / 2) + 1) * power_of_two(1 - bits);
}

struct Range {
  int low, high;  // exponents, inclusive
  int between(Random& random) const {
    return low + static_cast<int>(random.below(static_cast<uint32_t>(high - low + 1)));
  }
};

/// Operands that are stored wider than they are multiplied stay away from where their parts, or
/// products of these, were subnormal or overflowed.
Range whole_range(const Math& math) {
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

float draw_whole_range(Random& random, int, Dtype dtype) {
  const Math& math = info(dtype);
  const Range range = whole_range(math);
  const double largest = (2 - power_of_two(1 - math.operand_bits)) * power_of_two(range.high);
  constexpr uint32_t kOneIn = 32;
  const double magnitude = random.below(kOneIn) == 0 ? largest
                                                     : odd_significand(random, math.operand_bits) *
                                                           power_of_two(range.between(random));
  return random.sign() * static_cast<float>(magnitude);
}

float draw_near_one(Random& random, int, Dtype dtype) {
  const Math& math = info(dtype);
  const Range range{-4, overflows_to_infinity(math) ? 4 : -1};
  // The parts of a product of 3xtf32 add up exactly where one operand is a power of two.
  const int bits = math.additions > 1 ? 1 : math.operand_bits;
  const double magnitude =
      random.below(4) == 0 ? 1
                           : odd_significand(random, bits) * power_of_two(range.between(random));
  return random.sign() * static_cast<float>(magnitude);
}

void keep_one_per_column(Floats& values, const Problem& problem, uint64_t seed) {
  constexpr uint64_t kStream = 98;
  Random random(seed, kStream);
  Floats kept;
  kept.assign(values.size(), 0.f);
  const auto keep = [&](int64_t index) {
    kept[static_cast<size_t>(index)] = values[static_cast<size_t>(index)];
  };
  const auto below = [&](int64_t count) {
    return static_cast<int64_t>(random.below(static_cast<uint32_t>(count)));
  };
  const int64_t c_in = problem.group_c_in(), c_out = problem.group_c_out();
  const int64_t weights = weight_count(problem) / problem.c_out;  // of one output channel
  const auto n_rows = static_cast<int64_t>(values.size()) / problem.c_out;
  switch (problem.direction) {
    case Direction::fprop:
      for (int64_t j = 0; j < problem.c_out; ++j) keep(j * weights + below(weights));
      break;
    case Direction::dgrad:
      for (int64_t i = 0; i < problem.c_in; ++i) {
        const int64_t channel = i / c_in * c_out + below(c_out);
        const int64_t offset = below(problem.kernel_volume());
        keep(channel * weights + offset * c_in + i % c_in);
      }
      break;
    case Direction::wgrad:
      for (int64_t j = 0; n_rows > 0 && j < problem.c_out; ++j)
        keep(below(n_rows) * problem.c_out + j);
      break;
  }
  values = std::move(kept);
}

}  // namespace spb::verify
