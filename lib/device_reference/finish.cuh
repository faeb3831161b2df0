// SPDX-License-Identifier: Apache-2.0
// What becomes of a sum of fprop or dgrad before it is stored, and of what bounds its error: own
// code for core/epilogue.h. Exact ones by the fp32 operations that it names, others in fp64.
#pragma once

#include <cmath>

#include "device_reference/sums.cuh"
#include "device_reference/verdict.cuh"
#include "device_reference/work.h"
#include "gpu/runtime.h"

namespace spb::device_reference {

/// Roundings of an epilogue in units of error_scale, of which eight are allowed.
constexpr double kOwnShare = kOwnRoundings / 8;

/// y of a scaled sum: scale * sum + (residual_scale * residual + bias).
template <class Wanted>
__device__ void scale_sum(const Finish& finish, int64_t row, int64_t column, int64_t columns,
                          Element& element) {
  const float scale = finish.scale[column], bias = finish.bias ? finish.bias[column] : 0.f;
  const float residual = finish.residual ? finish.residual[row * columns + column] : 0.f;
  const double gain = std::fabs(static_cast<double>(scale));
  element.terms += int{finish.bias != nullptr} + int{finish.residual != nullptr};
  double added = static_cast<double>(finish.residual_scale) * residual + bias;
  if constexpr (Wanted::kScales) {
    element.value = static_cast<double>(scale) * element.value + added;
    element.abs_sum = gain * element.abs_sum + std::fabs(added);
  } else {
    const float rounded = finish.residual ? std::fma(finish.residual_scale, residual, bias) : bias;
    added = rounded;
    element.value = std::fma(scale, static_cast<float>(element.value), rounded);
    element.abs_sum += std::fabs(added);  // as the reference on the host has it
  }
  element.gain = gain;
  element.finished = std::fabs(added) + std::fabs(element.value);
  element.error_scale = gain * element.error_scale + kOwnShare * element.finished;
  element.partial_scale *= gain;
}

/// Its value, by a device's operations in fp32: none adds to a product, so that none is contracted.
__device__ inline double activated_in_fp32(const Finish& finish, float sum) {
  if (finish.activation == Activation::hswish) {
    const float shifted = sum + 3.f;
    const float gate = shifted < 0.f ? 0.f : shifted > 6.f ? 6.f : shifted;
    const float product = sum * gate;
    return static_cast<double>(product * (1.f / 6.f));
  }
  if (!(sum < 0.f) || finish.activation == Activation::none) return static_cast<double>(sum);
  return finish.activation == Activation::relu ? 0 : static_cast<double>(finish.slope) * sum;
}

__device__ inline double activated(const Finish& finish, double sum) {
  if (finish.activation == Activation::hswish) {
    const double shifted = sum + 3;
    return sum * (shifted < 0 ? 0 : shifted > 6 ? 6 : shifted) / 6;
  }
  if (!(sum < 0) || finish.activation == Activation::none) return sum;
  return finish.activation == Activation::relu ? 0 : static_cast<double>(finish.slope) * sum;
}

template <class Wanted>
__device__ void activate(const Finish& finish, Element& element) {
  const double before = element.value;
  if constexpr (Wanted::kScales)
    element.value = activated(finish, before);
  else
    element.value = activated_in_fp32(finish, static_cast<float>(before));
  // What relu makes of an infinity has no error.
  if (Wanted::kScales && !is_finite(before))
    element.error_scale = element.partial_scale = element.abs_sum = 0;
  if (finish.activation != Activation::hswish) return;
  constexpr double kSteepest = 1.5;  // d/ds of s (s + 3) / 6 at s = 3
  element.gain *= kSteepest;
  element.finished = kSteepest * element.finished + std::fabs(element.value);
  if constexpr (!Wanted::kScales) return;
  element.error_scale = kSteepest * element.error_scale + kOwnShare * std::fabs(element.value);
  element.partial_scale *= kSteepest;
  element.abs_sum *= kSteepest;
}

/// Terms of a sum that no product made, where its scale does not make them others.
template <class Wanted>
__device__ void add_bias(const Finish& how, int64_t column, Sums& sums) {
  if (!how.scale && how.bias) sums.add<Wanted>(how.bias[column]);
}
template <class Wanted>
__device__ void add_residual(const Finish& how, int64_t row, int64_t column, int64_t columns,
                             Sums& sums) {
  if (!how.scale && how.residual) sums.add<Wanted>(how.residual[row * columns + column]);
}

/// What becomes of the sum of element (row, column).
template <class Wanted>
__device__ void finish(const Finish& how, int64_t row, int64_t column, int64_t columns,
                       Element& element) {
  if (how.scale) scale_sum<Wanted>(how, row, column, columns, element);
  if (how.activation != Activation::none) activate<Wanted>(how, element);
}

}  // namespace spb::device_reference
