#include "algorithms/common/row_copies.h"
#include "gpu/launch.cuh"

namespace spb::plans {
namespace {

// Elements per thread: 16 bytes of the narrow types, so that neighboring threads fill whole
// memory sectors, and enough work to pay for the 64-bit divisions.
constexpr int kRun = 8;

constexpr int64_t runs_of(int channels) { return (channels + kRun - 1) / kRun; }

struct Run {
  int64_t row;
  int first, end;  // channels
};

__device__ Run run_of(int64_t thread, int channels) {
  const int64_t runs = runs_of(channels);
  const int first = static_cast<int>(thread % runs) * kRun;
  return {thread / runs, first, first + kRun < channels ? first + kRun : channels};
}

template <class Word>
GPU_KERNEL void gather_kernel(const Word* from, const int32_t* rows, int64_t count, int channels,
                              Word* to) {
  const Run run = run_of(gpu::global_index(), channels);
  if (run.row >= count) return;
  const int64_t source = rows[run.row];
  Word* target = to + run.row * channels;
  if (source < 0)
    for (int c = run.first; c < run.end; ++c) target[c] = 0;
  else
    for (int c = run.first; c < run.end; ++c) target[c] = from[source * channels + c];
}

GPU_KERNEL void scatter_add_kernel(const float* from, const int32_t* rows, int64_t count,
                                   int channels, float* to) {
  const Run run = run_of(gpu::global_index(), channels);
  if (run.row >= count) return;
  float* target = to + int64_t{rows[run.row]} * channels;
  for (int c = run.first; c < run.end; ++c) target[c] += from[run.row * channels + c];
}

template <class Word>
GPU_KERNEL void permute_kernel(const Word* weights, int c_out, int kernel_volume, int c_in,
                               bool mirrored, Word* to) {
  const Run run = run_of(gpu::global_index(), c_in);
  if (run.row >= int64_t{kernel_volume} * c_out) return;
  const int64_t offset = run.row / c_out, co = run.row % c_out;
  const int64_t taken = mirrored ? kernel_volume - 1 - offset : offset;
  const Word* source = weights + (co * kernel_volume + taken) * c_in;
  for (int c = run.first; c < run.end; ++c) to[run.row * c_in + c] = source[c];
}

/// Calls f with a value of the unsigned type that holds an element.
template <class F>
void with_word(int element_bytes, F f) {
  if (element_bytes == 2)
    f(uint16_t{});
  else
    f(uint32_t{});
}

}  // namespace

void gather_rows(int element_bytes, const void* from, const int32_t* rows, int64_t count,
                 int channels, void* to, const gpu::Stream& stream) {
  with_word(element_bytes, [&](auto word) {
    using Word = decltype(word);
    gpu::launch_flat(gather_kernel<Word>, count * runs_of(channels), stream,
                     static_cast<const Word*>(from), rows, count, channels, static_cast<Word*>(to));
  });
}

void scatter_add_rows(const float* from, const int32_t* rows, int64_t count, int channels,
                      float* to, const gpu::Stream& stream) {
  gpu::launch_flat(scatter_add_kernel, count * runs_of(channels), stream, from, rows, count,
                   channels, to);
}

void permute_weights(int element_bytes, const void* weights, int c_out, int kernel_volume, int c_in,
                     bool mirrored, void* to, const gpu::Stream& stream) {
  with_word(element_bytes, [&](auto word) {
    using Word = decltype(word);
    gpu::launch_flat(permute_kernel<Word>, int64_t{kernel_volume} * c_out * runs_of(c_in), stream,
                     static_cast<const Word*>(weights), c_out, kernel_volume, c_in, mirrored,
                     static_cast<Word*>(to));
  });
}

}  // namespace spb::plans
