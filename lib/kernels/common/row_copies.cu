// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/row_copies.h"

#include <iterator>

#include "gpu/element.cuh"
#include "gpu/launch.cuh"

namespace spb::plans {
namespace {

/// What a thread moves at once.
template <class T, int Count>
struct alignas(sizeof(T) * Count) Word {
  T at[Count];
};

/// A word as it is written: words of floats are rounded to tf32.
template <class W>
__device__ W copied(W word) {
  return word;
}
template <int Count>
__device__ Word<float, Count> copied(Word<float, Count> word) {
  for (float& value : word.at) value = gpu::TF32::load(value);
  return word;
}

/// Threads side by side on one row: a power of two, so that no thread divides.
constexpr int kMostLanesLog2 = 5;
int lanes_log2(int64_t row_words) {
  int log2 = 0;
  while (log2 < kMostLanesLog2 && int64_t{1} << log2 < row_words) ++log2;
  return log2;
}

struct Place {
  int64_t row;
  int first, step;  // words
};

__device__ Place place_of(int64_t thread, int lanes_log2) {
  const int lanes = 1 << lanes_log2;
  return {thread >> lanes_log2, static_cast<int>(thread & (lanes - 1)), lanes};
}

template <class W>
GPU_KERNEL void gather_kernel(const W* from, const int32_t* rows, int64_t count, int row_words,
                              int lanes_log2, W* to) {
  const Place place = place_of(gpu::global_index(), lanes_log2);
  if (place.row >= count) return;
  const int64_t source = rows[place.row];
  W* target = to + place.row * row_words;
  if (source < 0)
    for (int w = place.first; w < row_words; w += place.step) target[w] = {};
  else
    for (int w = place.first; w < row_words; w += place.step)
      target[w] = copied(from[source * row_words + w]);
}

template <class W>
GPU_KERNEL void scatter_add_kernel(const W* from, const int32_t* rows, int64_t count, int row_words,
                                   int lanes_log2, W* to) {
  const Place place = place_of(gpu::global_index(), lanes_log2);
  if (place.row >= count) return;
  W* target = to + int64_t{rows[place.row]} * row_words;
  for (int w = place.first; w < row_words; w += place.step) {
    const W added = from[place.row * row_words + w];
    W sum = target[w];
    for (size_t i = 0; i < std::size(sum.at); ++i) sum.at[i] += added.at[i];
    target[w] = sum;
  }
}

template <class W>
GPU_KERNEL void permute_kernel(const W* weights, int c_out, int kernel_volume, int row_words,
                               bool mirrored, int lanes_log2, W* to) {
  const Place place = place_of(gpu::global_index(), lanes_log2);
  if (place.row >= int64_t{kernel_volume} * c_out) return;
  const int64_t offset = place.row / c_out, co = place.row % c_out;
  const int64_t taken = mirrored ? kernel_volume - 1 - offset : offset;
  const W* source = weights + (co * kernel_volume + taken) * row_words;
  for (int w = place.first; w < row_words; w += place.step)
    to[place.row * row_words + w] = copied(source[w]);
}

bool divides(int64_t bytes, int64_t row_bytes, const void* a, const void* b) {
  return row_bytes % bytes == 0 && reinterpret_cast<uintptr_t>(a) % bytes == 0 &&
         reinterpret_cast<uintptr_t>(b) % bytes == 0;
}

template <class Part, class F>
void with_word_of(int64_t row_bytes, const void* a, const void* b, F f) {
  if (divides(16, row_bytes, a, b))
    f(static_cast<Word<Part, 4>*>(nullptr));
  else if (divides(8, row_bytes, a, b))
    f(static_cast<Word<Part, 2>*>(nullptr));
  else
    f(static_cast<Word<Part, 1>*>(nullptr));
}

/// Calls f with a null pointer to the widest word that rows of `row_bytes` at `a` and `b` consist
/// of.
template <class F>
void with_word(Copy copy, int64_t row_bytes, const void* a, const void* b, F f) {
  if (copy.round_tf32)
    with_word_of<float>(row_bytes, a, b, f);
  else if (divides(4, row_bytes, a, b))
    with_word_of<uint32_t>(row_bytes, a, b, f);
  else if (divides(2, row_bytes, a, b))
    f(static_cast<Word<uint16_t, 1>*>(nullptr));
  else
    f(static_cast<Word<uint8_t, 1>*>(nullptr));
}

GPU_KERNEL void round_kernel(const float* from, int64_t count, float* to) {
  const int64_t i = gpu::global_index();
  if (i < count) to[i] = gpu::TF32::load(from[i]);
}

template <class W>
void add_rows(const float* from, const int32_t* rows, int64_t count, int channels, float* to,
              const gpu::Stream& stream) {
  const int row_words = channels / static_cast<int>(std::size(W{}.at));
  const int lanes = lanes_log2(row_words);
  gpu::launch_flat(scatter_add_kernel<W>, count << lanes, stream, reinterpret_cast<const W*>(from),
                   rows, count, row_words, lanes, reinterpret_cast<W*>(to));
}

}  // namespace

void gather_rows(Copy copy, const void* from, const int32_t* rows, int64_t count, int channels,
                 void* to, const gpu::Stream& stream) {
  const int64_t row_bytes = int64_t{channels} * copy.element_bytes;
  with_word(copy, row_bytes, from, to, [&]<class W>(W*) {
    const int row_words = static_cast<int>(row_bytes / int64_t{sizeof(W)});
    const int lanes = lanes_log2(row_words);
    gpu::launch_flat(gather_kernel<W>, count << lanes, stream, static_cast<const W*>(from), rows,
                     count, row_words, lanes, static_cast<W*>(to));
  });
}

void scatter_add_rows(bool integers, const float* from, const int32_t* rows, int64_t count,
                      int channels, float* to, const gpu::Stream& stream) {
  const bool wide = divides(16, channels * int64_t{sizeof(float)}, from, to);
  const auto add = [&]<class Sum>(Sum) {
    if (wide)
      add_rows<Word<Sum, 4>>(from, rows, count, channels, to, stream);
    else
      add_rows<Word<Sum, 1>>(from, rows, count, channels, to, stream);
  };
  integers ? add(int32_t{}) : add(float{});
}

void round_tf32(const void* from, int64_t count, void* to, const gpu::Stream& stream) {
  gpu::launch_flat(round_kernel, count, stream, static_cast<const float*>(from), count,
                   static_cast<float*>(to));
}

void permute_weights(Copy copy, const void* weights, int c_out, int kernel_volume, int c_in,
                     bool mirrored, void* to, const gpu::Stream& stream) {
  const int64_t row_bytes = int64_t{c_in} * copy.element_bytes;
  with_word(copy, row_bytes, weights, to, [&]<class W>(W*) {
    const int row_words = static_cast<int>(row_bytes / int64_t{sizeof(W)});
    const int lanes = lanes_log2(row_words);
    const int64_t rows = int64_t{kernel_volume} * c_out;
    gpu::launch_flat(permute_kernel<W>, rows << lanes, stream, static_cast<const W*>(weights),
                     c_out, kernel_volume, row_words, mirrored, lanes, static_cast<W*>(to));
  });
}

}  // namespace spb::plans
