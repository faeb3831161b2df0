// SPDX-License-Identifier: Apache-2.0
// An epilogue on sums in registers.
#pragma once

#include <cmath>
#include <type_traits>

#include "gpu/element.cuh"
#include "gpu/qualifiers.h"
#include "kernels/common/epilogue.h"

namespace spb::plans {

/// Calls each(activation), a function of one sum: what is the same for a launch is asked once, and
/// not for every sum.
template <class Each>
__device__ __forceinline__ void with_activation(const OutputEpilogue& epilogue, Each each) {
  switch (epilogue.activation) {
    case Activation::none:
      return each([](float sum) { return sum; });
    case Activation::relu:
      return each([](float sum) { return sum <= 0 ? 0.f : sum; });  // NaN stays
    case Activation::leaky_relu: {
      const float slope = epilogue.slope;
      return each([slope](float sum) { return sum < 0 ? slope * sum : sum; });
    }
    case Activation::hswish:
      // In this order, which the reference repeats.
      return each([](float sum) {
        constexpr float kSixth = 0x1.555556p-3f;
        const float shifted = sum + 3;
        return sum * (shifted < 0 ? 0.f : shifted > 6 ? 6.f : shifted) * kSixth;
      });
  }
}

/// As outputs are stored and no operand of a multiply, which some elements round when they load.
template <class E>
using OutputElement = typename gpu::StoredOf<E>::Type;

/// What is added to a scaled sum, in units of the output. `at`: of the element.
template <class E>
__device__ __forceinline__ float addend(const OutputEpilogue& epilogue, int64_t column,
                                        int64_t at) {
  const float bias = epilogue.bias ? epilogue.bias[column] : 0.f;
  if (!epilogue.residual) return bias;
  const auto residual = static_cast<const typename E::Out*>(epilogue.residual)[at];
  return fmaf(*epilogue.residual_scale, static_cast<float>(OutputElement<E>::load(residual)), bias);
}
template <class E>
__device__ __forceinline__ float scaled(typename E::Sum sum, const OutputEpilogue& epilogue,
                                        int64_t column, int64_t at) {
  return fmaf(epilogue.scale[column], static_cast<float>(sum), addend<E>(epilogue, column, at));
}

/// Of `Width` sums that lie side by side: `column` and `at` are the first one's.
template <class E, int Width>
__device__ void finish(const typename E::Sum (&sums)[Width], const OutputEpilogue& epilogue,
                       int64_t column, int64_t at, typename E::Out (&outputs)[Width]) {
  float finished[Width];
  if constexpr (gpu::is_scaled<E>) {
    GPU_UNROLL_AMD
    for (int w = 0; w < Width; ++w) finished[w] = scaled<E>(sums[w], epilogue, column + w, at + w);
  } else {
    GPU_UNROLL_AMD
    for (int w = 0; w < Width; ++w)
      finished[w] = epilogue.bias ? sums[w] + epilogue.bias[column + w] : sums[w];
    if (epilogue.residual) {
      const auto* residual = static_cast<const typename E::Out*>(epilogue.residual) + at;
      GPU_UNROLL_AMD
      for (int w = 0; w < Width; ++w) finished[w] += OutputElement<E>::load(residual[w]);
    }
  }
  with_activation(epilogue, [&](auto activate) {
    GPU_UNROLL_AMD
    for (int w = 0; w < Width; ++w) outputs[w] = E::store(activate(finished[w]));
  });
}

}  // namespace spb::plans
