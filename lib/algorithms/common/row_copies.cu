#include "algorithms/common/row_copies.h"
#include "gpu/launch.cuh"

namespace spb::plans {
namespace {

/// What a thread moves at once.
template <class T, int Count>
struct alignas(sizeof(T) * Count) Word {
  T at[Count];
};

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
      target[w] = from[source * row_words + w];
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
    for (size_t i = 0; i < sizeof(W) / sizeof(float); ++i) sum.at[i] += added.at[i];
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
    to[place.row * row_words + w] = source[w];
}

bool divides(int64_t bytes, int64_t row_bytes, const void* a, const void* b) {
  return row_bytes % bytes == 0 && reinterpret_cast<uintptr_t>(a) % bytes == 0 &&
         reinterpret_cast<uintptr_t>(b) % bytes == 0;
}

/// Calls f with a null pointer to the widest word that rows of `row_bytes` at `a` and `b` consist
/// of.
template <class F>
void with_word(int64_t row_bytes, const void* a, const void* b, F f) {
  if (divides(16, row_bytes, a, b))
    f(static_cast<Word<uint32_t, 4>*>(nullptr));
  else if (divides(8, row_bytes, a, b))
    f(static_cast<Word<uint32_t, 2>*>(nullptr));
  else if (divides(4, row_bytes, a, b))
    f(static_cast<Word<uint32_t, 1>*>(nullptr));
  else
    f(static_cast<Word<uint16_t, 1>*>(nullptr));
}

template <class W>
void add_rows(const float* from, const int32_t* rows, int64_t count, int channels, float* to,
              const gpu::Stream& stream) {
  const int row_words = channels / static_cast<int>(sizeof(W) / sizeof(float));
  const int lanes = lanes_log2(row_words);
  gpu::launch_flat(scatter_add_kernel<W>, count << lanes, stream, reinterpret_cast<const W*>(from),
                   rows, count, row_words, lanes, reinterpret_cast<W*>(to));
}

}  // namespace

void gather_rows(int element_bytes, const void* from, const int32_t* rows, int64_t count,
                 int channels, void* to, const gpu::Stream& stream) {
  const int64_t row_bytes = int64_t{channels} * element_bytes;
  with_word(row_bytes, from, to, [&]<class W>(W*) {
    const int row_words = static_cast<int>(row_bytes / int64_t{sizeof(W)});
    const int lanes = lanes_log2(row_words);
    gpu::launch_flat(gather_kernel<W>, count << lanes, stream, static_cast<const W*>(from), rows,
                     count, row_words, lanes, static_cast<W*>(to));
  });
}

void scatter_add_rows(const float* from, const int32_t* rows, int64_t count, int channels,
                      float* to, const gpu::Stream& stream) {
  if (divides(16, channels * int64_t{sizeof(float)}, from, to))
    add_rows<Word<float, 4>>(from, rows, count, channels, to, stream);
  else
    add_rows<Word<float, 1>>(from, rows, count, channels, to, stream);
}

void permute_weights(int element_bytes, const void* weights, int c_out, int kernel_volume, int c_in,
                     bool mirrored, void* to, const gpu::Stream& stream) {
  const int64_t row_bytes = int64_t{c_in} * element_bytes;
  with_word(row_bytes, weights, to, [&]<class W>(W*) {
    const int row_words = static_cast<int>(row_bytes / int64_t{sizeof(W)});
    const int lanes = lanes_log2(row_words);
    const int64_t rows = int64_t{kernel_volume} * c_out;
    gpu::launch_flat(permute_kernel<W>, rows << lanes, stream, static_cast<const W*>(weights),
                     c_out, kernel_volume, row_words, mirrored, lanes, static_cast<W*>(to));
  });
}

}  // namespace spb::plans
