// SPDX-License-Identifier: Apache-2.0
// The size of one rounding: units in the last place and the bounds made of them.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "core/dtype.h"
#include "core/power_of_two.h"
#include "verify/verify.h"

namespace spb::verify {

constexpr double kUnitFp32 = 0x1p-24;  // u: largest relative error of one fp32 rounding

/// Distance between neighbors of the output type at `magnitude`, at least its smallest subnormal.
inline double ulp(double magnitude, const StorageInfo& type) {
  // By the bits: this is asked for every stored element.
  const int biased = static_cast<int>(std::bit_cast<uint64_t>(magnitude) >> 52);
  const int finite = biased == 0x7ff ? 0 : biased;
  return power_of_two(std::max(type.min_exponent, finite - 1023) - (type.bits - 1));
}

/// u_T of a weaker class; 0 for f32, which adds no rounding.
inline double unit_of(Dtype dtype) {
  return dtype == Dtype::f32 ? 0 : std::ldexp(1.0, -info(dtype).output().bits);
}

/// u of the accumulator.
inline double accumulator_unit(const ArithmeticModel& model) {
  return model.accumulator == Dtype::f32 ? kUnitFp32 : unit_of(model.accumulator);
}

/// m * sqrt(C) / d for an element of `terms` products.
inline double mma_growth(const ArithmeticModel& model, double terms) {
  if (model.mma_depth <= 0) return 0;
  return model.mma_rounding * std::sqrt(model.chain > 0 ? model.chain : terms) / model.mma_depth;
}

/// Of tensor cores whose own sums have fewer bits than fp32: what one addition may lose, 0 of
/// others, and over how many products of `terms` it adds up.
struct NarrowSums {
  double unit = 0, products = 0;
};
inline NarrowSums narrow_sums(const ArithmeticModel& model, double terms) {
  if (model.sum_bits >= 24) return {};
  const double most = model.promoted_products > 0 ? model.promoted_products : terms;
  return {std::ldexp(1.0, -model.sum_bits), std::min(most, terms)};
}

}  // namespace spb::verify
