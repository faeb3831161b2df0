// SPDX-License-Identifier: Apache-2.0
// Which channels and tiles the threads of a depthwise kernel have.
#pragma once

#include "gpu/element.cuh"
#include "gpu/launch.cuh"
#include "kernels/common/elements.cuh"
#include "kernels/depthwise/depthwise.h"

namespace spb::plans {

/// Threads side by side on a row, each with up to 16 bytes of it: a line of the first cache.
inline constexpr int kDepthwiseLanes = 8;

/// A power of two, so that no thread divides; fewer where rows are short.
inline int lanes_log2(int channels, int width) {
  int log2 = 0;
  while (1 << log2 < kDepthwiseLanes && width << log2 < channels) ++log2;
  return log2;
}

/// Calls f.operator()<E, Width>(): Width elements of E make up to 16 bytes of aligned rows.
template <class F>
void with_depthwise(Dtype dtype, int channels, std::initializer_list<const void*> addresses, F f) {
  const auto of_element = [&]<class E>(E) {
    with_width<typename E::Storage>(channels, addresses,
                                    [&]<int Width>() { f.template operator()<E, Width>(); });
  };
  if (dtype == Dtype::f32)
    of_element(gpu::F32{});
  else
    gpu::dispatch_halves("a depthwise kernel", dtype, of_element);
}

/// The gathered elements, zeros of an absent row.
template <class Word, class T>
__device__ Word gather(const T* source, int32_t row, int channels, int channel) {
  if (row < 0) return {};
  return *reinterpret_cast<const Word*>(source + int64_t{row} * channels + channel);
}

}  // namespace spb::plans
