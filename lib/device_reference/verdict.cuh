// SPDX-License-Identifier: Apache-2.0
// Is a stored element what its sum allows? (verification.md, sections 3 and 4)
#pragma once

#include <cmath>
#include <cstdint>

#include "device_reference/work.h"
#include "gpu/runtime.h"

namespace spb::device_reference {

__device__ inline bool is_finite(double value) { return value - value == 0; }

/// Distance of the type's neighbors at a magnitude.
__device__ inline double ulp(const Rule& rule, double magnitude) {
  const int exponent = magnitude > 0 ? std::ilogb(magnitude) : rule.min_exponent;
  return std::ldexp(1.0,
                    (exponent > rule.min_exponent ? exponent : rule.min_exponent) - rule.bits + 1);
}

/// A value of a type that has no infinity.
__device__ inline double saturated(const Rule& rule, double value) {
  if (!rule.saturates) return value;
  return value < rule.least ? rule.least : value > rule.max ? rule.max : value;  // NaN stays
}

/// A value as the type stores it: nearest even, an infinity or the largest beyond it.
__device__ inline double stored(const Rule& rule, double sum) {
  const double value = saturated(rule, sum);
  if (!is_finite(value)) return value;
  const double step = ulp(rule, std::fabs(value));
  const double rounded = std::rint(value / step) * step;
  const bool overflows = !rule.saturates && std::fabs(rounded) > rule.max;
  return overflows ? std::copysign(HUGE_VAL, value) : rounded;
}

/// Of an epilogue, each of at most 2^-24 of a magnitude.
constexpr double kOwnRoundings = 4;

struct Finding {
  bool ok;
  double expected, error, bound;
};

__device__ inline Finding same_or_nothing(double expected, double got) {
  const bool ok = expected != expected ? got != got : expected == got;
  return {ok, expected, ok ? 0 : HUGE_VAL, 0};
}

__device__ inline Finding exact_finding(const Rule& rule, const Element& element, double got) {
  const double expected = stored(rule, element.value);
  if (!is_finite(expected)) return same_or_nothing(expected, got);
  constexpr double kSmallestNormalFp32 = 0x1p-126;
  const bool flushed =
      rule.tolerance.flushes && got == 0 && std::fabs(element.value) < kSmallestNormalFp32;
  return {got == expected || flushed, expected,
          is_finite(got) ? std::fabs(got - expected) : HUGE_VAL, 0};
}

/// Of `terms`, over how many a sum of fewer bits loses some.
__device__ inline double narrow_products(const Tolerance& tolerance, double terms) {
  const double most = tolerance.narrow_products;
  return most > 0 && most < terms ? most : terms;
}

__device__ inline Finding bounded_finding(const Rule& rule, const Element& element, double got) {
  const Tolerance& tolerance = rule.tolerance;
  const double terms = element.terms, q = element.error_scale;
  if (!is_finite(element.value)) return same_or_nothing(element.value, got);
  const double y = saturated(rule, element.value);
  const double chain = tolerance.chain > 0 ? tolerance.chain : terms;
  double beyond_store = tolerance.unit * q * (8 + tolerance.mma_growth * std::sqrt(chain)) +
                        tolerance.partials * element.partial_scale;
  if (terms > 0) beyond_store += tolerance.products * q / std::sqrt(terms);
  if (tolerance.narrow_unit > 0 && terms > 0) {
    const double products = narrow_products(tolerance, terms);
    const double own_chain = tolerance.chain > 0 ? tolerance.chain : products;
    beyond_store += tolerance.narrow_unit * q * std::sqrt(products / terms) *
                    (8 + tolerance.mma_growth * std::sqrt(own_chain));
  }
  const double reach = std::fabs(y) + beyond_store;
  const double bound = beyond_store + ulp(rule, reach) / 2;
  const bool may_overflow = reach >= rule.max + ulp(rule, rule.max) / 2;
  if (may_overflow && got == std::copysign(HUGE_VAL, y)) return {true, y, 0, bound};
  const double error = is_finite(got) ? std::fabs(got - y) : HUGE_VAL;
  return {error <= bound, y, error, bound};
}

/// Of sums that are too large to be exact.
__device__ inline Finding worst_finding(const Rule& rule, const Element& element, double got) {
  constexpr double kUnitFp32 = 0x1p-24;
  const double y = saturated(rule, element.value);
  const Tolerance& tolerance = rule.tolerance;
  const double roundings = element.terms * tolerance.unit +
                           narrow_products(tolerance, element.terms) * tolerance.narrow_unit;
  const double rounding =
      element.gain * roundings * element.abs_sum + kOwnRoundings * kUnitFp32 * element.finished;
  const double bound = rounding + ulp(rule, std::fabs(y) + rounding) / 2;
  const double largest = rule.max + ulp(rule, rule.max) / 2;
  if (std::fabs(y) + rounding >= largest && got == std::copysign(HUGE_VAL, y))
    return {true, y, 0, bound};
  const double error = is_finite(got) ? std::fabs(got - y) : HUGE_VAL;
  return {error <= bound, y, error, bound};
}

/// Judges one element and adds it to the tally. A NaN in the error has no ratio: it is infinite.
__device__ inline void judge(const Rule& rule, int64_t at, const Element& element, double got,
                             ThreadTally& tally) {
  const bool is_exact = rule.tolerance.exact && element.abs_sum < rule.tolerance.most_abs_sum;
  const Finding found = is_exact               ? exact_finding(rule, element, got)
                        : rule.tolerance.exact ? worst_finding(rule, element, got)
                                               : bounded_finding(rule, element, got);
  ++tally.compared;
  if (is_finite(found.error) && is_finite(found.expected)) {
    tally.error_squares += found.error * found.error;
    tally.value_squares += found.expected * found.expected;
  }
  const double magnitude = is_finite(found.expected) ? std::fabs(found.expected) : 0;
  tally.max_abs = std::fmax(tally.max_abs, found.error);
  tally.max_ulp = std::fmax(tally.max_ulp, found.error / ulp(rule, magnitude));
  if (!found.ok || found.bound > 0)
    tally.max_tolerance_ratio = std::fmax(tally.max_tolerance_ratio, found.error / found.bound);
  if (found.ok) return;
  if (tally.mismatches++ == 0) tally.first_mismatch = at;
  const double excess = found.bound > 0 ? found.error / found.bound : found.error;
  if (tally.mismatches > 1 && excess <= tally.worst_excess) return;
  tally.worst_excess = excess;
  tally.worst_mismatch = at;
}

}  // namespace spb::device_reference
