// SPDX-License-Identifier: Apache-2.0
// Which channels and tiles the threads of a depthwise kernel have.
#pragma once

#include <type_traits>

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

/// Distance in elements between the offsets of a slab's weights in shared memory.
template <class T>
constexpr int weight_pitch(int slab) {
  return slab + 16 / static_cast<int>(sizeof(T));
}
constexpr int weight_place(int offset, int channel, int pitch) { return offset * pitch + channel; }

/// Weight i of a slab, as they are loaded: `count` offsets of one channel after the other.
struct SlabWeight {
  int channel, offset;
};
constexpr SlabWeight weight_of(int i, int count) { return {i / count, i % count}; }

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

/// What a thread loads of a row. 16-bit elements come in pairs: single ones the compiler would take
/// apart at once, and wait for each load right behind it.
template <class T, int Width>
using RowWord = std::conditional_t<sizeof(T) == 2 && Width % 2 == 0,
                                   Elements<uint32_t, (Width + 1) / 2>, Elements<T, Width>>;

/// The factor that element w of a RowWord is.
template <class E, class Word>
__device__ float factor(const Word& word, int w) {
  if constexpr (sizeof(word.at[0]) == sizeof(typename E::Storage))
    return E::load(word.at[w]);
  else
    return E::load(static_cast<typename E::Storage>(word.at[w / 2] >> w % 2 * 16));
}

/// The thread's channels of a row; `channels`: those of the first one.
template <class Word>
__device__ const Word* row_of(const char* channels, int32_t row, uint32_t row_bytes) {
  return reinterpret_cast<const Word*>(channels +
                                       gpu::multiply_wide(static_cast<uint32_t>(row), row_bytes));
}

/// Begins to copy entries [first, first + count) of the tile index into shared memory,
/// [count, kDepthwiseTile], by all threads of the block; `thread` is one of `threads`.
__device__ inline void copy_index(const DepthwisePass& pass, int64_t first, int count,
                                  int32_t* shared, int thread, int threads) {
  constexpr int kWords = 4;
  const int32_t* from = pass.tile_index + first * kDepthwiseTile;
  for (int i = thread * kWords; i < count * kDepthwiseTile; i += threads * kWords)
    gpu::copy_ahead<kWords * sizeof(int32_t)>(shared + i, from + i);
}

}  // namespace spb::plans
