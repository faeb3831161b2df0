// SPDX-License-Identifier: Apache-2.0
#include "device_reference/difference.h"

#include <cmath>

namespace spb::device_reference {
namespace {

bool is_near(double a, double b, double slack) { return std::abs(a - b) <= slack; }

bool agree(const Element& alone, const Element& by, Judged judged) {
  constexpr double kSum = 1e-12, kScale = 4e-6;
  if (alone.terms != by.terms) return false;
  if (judged != Judged::bounded && alone.abs_sum != by.abs_sum) return false;
  if (std::isnan(alone.value)) return std::isnan(by.value);
  if (std::isinf(alone.value)) return alone.value == by.value;
  if (!is_near(alone.value, by.value, kSum * alone.abs_sum)) return false;
  return judged != Judged::bounded ||
         (is_near(alone.error_scale, by.error_scale, kScale * alone.error_scale) &&
          is_near(alone.partial_scale, by.partial_scale, kScale * alone.partial_scale));
}

}  // namespace

std::optional<size_t> first_difference(std::span<const Element> alone,
                                       std::span<const Element> judged_by, Judged judged) {
  for (size_t i = 0; i < alone.size(); ++i)
    if (!agree(alone[i], judged_by[i], judged)) return i;
  return std::nullopt;
}

}  // namespace spb::device_reference
