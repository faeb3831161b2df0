// SPDX-License-Identifier: Apache-2.0
// Which channels and tiles the threads of a depthwise kernel have.
#pragma once

#include <algorithm>
#include <type_traits>

#include "gpu/element.cuh"
#include "gpu/launch.cuh"
#include "gpu/qualifiers.h"
#include "kernels/common/elements.cuh"
#include "kernels/common/epilogue.cuh"
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

/// Where the weights of a slab lie in shared memory: offset by offset, and of those the first four
/// channels of each lane, then the next four, so that a read of 16 bytes has no conflicts.
template <int Width>
class SlabLayout {
 public:
  static constexpr int kGroup = std::min(Width, 4);
  constexpr explicit SlabLayout(int lanes_log2) : lanes_log2_(lanes_log2) {}
  /// Elements from an offset to the next one. Four more than a slab: what is loaded offset by
  /// offset is stored with fewer conflicts.
  constexpr int pitch() const { return (Width << lanes_log2_) + 4; }
  constexpr int group_pitch() const { return kGroup << lanes_log2_; }
  constexpr int place(int offset, int channel) const {
    const int lane = channel / Width, within = channel % Width;
    return offset * pitch() + within / kGroup * group_pitch() + lane * kGroup + within % kGroup;
  }

 private:
  int lanes_log2_;
};

/// A lane's weights, as numbered from `first` on in shared memory.
template <int Width>
class SlabWeights {
 public:
  using Layout = SlabLayout<Width>;
  __device__ SlabWeights(const Layout& layout, const float* shared, int lane, int first)
      : weights_(shared + lane * Layout::kGroup - first * layout.pitch()),
        pitch_(layout.pitch()),
        group_pitch_(layout.group_pitch()) {}
  __device__ Elements<float, Width> of(int offset) const {
    using Group = Elements<float, Layout::kGroup>;
    Elements<float, Width> weights;
    GPU_UNROLL_AMD
    for (int w = 0; w < Width; w += Layout::kGroup) {
      const Group group = *reinterpret_cast<const Group*>(weights_ + offset * pitch_ +
                                                          w / Layout::kGroup * group_pitch_);
      GPU_UNROLL_AMD
      for (int i = 0; i < Layout::kGroup; ++i) weights.at[w + i] = group.at[i];
    }
    return weights;
  }

 private:
  const float* weights_;
  int pitch_, group_pitch_;
};

/// Calls f(E{}) with the element type of a dtype that has_depthwise().
template <class F>
void with_element(Dtype dtype, F f) {
  if (dtype == Dtype::f32)
    f(gpu::F32{});
  else
    gpu::dispatch_halves("a depthwise kernel", dtype, f);
}

/// Calls f.operator()<E, Width>(): Width elements of E make up to 16 bytes of aligned rows.
template <class F>
void with_depthwise(Dtype dtype, int channels, std::initializer_list<const void*> addresses, F f) {
  with_element(dtype, [&]<class E>(E) {
    with_width<typename E::Storage>(channels, addresses,
                                    [&]<int Width>() { f.template operator()<E, Width>(); });
  });
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

/// What rows of a pass are multiplied with and written to.
struct Operations {
  const void *source, *weights;
  bool mirrored;
  OutputEpilogue epilogue;
  void* out;
};

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
