// SPDX-License-Identifier: Apache-2.0
// An epilogue on sums in registers.
#pragma once

#include <type_traits>

#include "gpu/element.cuh"
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
using OutputElement = std::conditional_t<std::is_same_v<typename E::Storage, float>, gpu::F32, E>;

/// Of `Width` sums that lie side by side: `column` and `at` are the first one's.
template <class E, int Width>
__device__ __forceinline__ void finish(float (&sums)[Width], const OutputEpilogue& epilogue,
                                       int64_t column, int64_t at) {
  if (epilogue.bias)
    for (int w = 0; w < Width; ++w) sums[w] += epilogue.bias[column + w];
  if (!epilogue.has_more()) return;
  if (epilogue.residual) {
    const auto* residual = static_cast<const typename E::Storage*>(epilogue.residual) + at;
    for (int w = 0; w < Width; ++w) sums[w] += OutputElement<E>::load(residual[w]);
  }
  with_activation(epilogue, [&](auto activate) {
    for (int w = 0; w < Width; ++w) sums[w] = activate(sums[w]);
  });
}

}  // namespace spb::plans
