// SPDX-License-Identifier: Apache-2.0
#include "bench/probe_memory.h"

#include "bench/mix.cuh"
#include "gpu/launch.cuh"
#include "gpu/qualifiers.h"

namespace spb::bench {
namespace {

struct alignas(16) Word {
  float x, y, z, w;
};
constexpr int kWordBytes = 16;
constexpr int kProbeThreads = 256;
constexpr int kUnroll = 8;  // loads in flight per thread

__device__ float sum(const Word& word) { return word.x + word.y + word.z + word.w; }

/// A store that the compiler must assume to happen keeps the loads alive.
__device__ void keep(float value, float* sink) {
  if (value == 0.123456789f) *sink = value;
}

/// kUnroll words per thread, kProbeThreads apart.
__device__ int64_t first_word() {
  return int64_t{blockIdx.x} * kProbeThreads * kUnroll + threadIdx.x;
}

GPU_KERNEL void copy_kernel(const Word* from, Word* to, int64_t words) {
  const int64_t first = first_word();
  if (first + (kUnroll - 1) * kProbeThreads < words) {
    Word loaded[kUnroll];
    GPU_UNROLL
    for (int u = 0; u < kUnroll; ++u) {
      // By member: of whole words AMD's compiler keeps the array in memory.
      const Word& word = from[first + u * kProbeThreads];
      loaded[u] = {word.x, word.y, word.z, word.w};
    }
    GPU_UNROLL
    for (int u = 0; u < kUnroll; ++u) to[first + u * kProbeThreads] = loaded[u];
  } else {
    for (int64_t at = first; at < words; at += kProbeThreads) to[at] = from[at];
  }
}

GPU_KERNEL void read_kernel(const Word* from, int64_t words, float* sink) {
  float total = 0;
  const int64_t first = first_word();
  for (int u = 0; u < kUnroll; ++u)
    if (first + u * kProbeThreads < words) total += sum(from[first + u * kProbeThreads]);
  keep(total, sink);
}

/// A block's own L1 holds far less than the buffer, whose words it reads once each.
GPU_KERNEL void shared_read_kernel(const Word* from, int64_t words, float* sink) {
  float total = 0;
  const int64_t start = words / gridDim.x * blockIdx.x;
  for (int64_t i = threadIdx.x; i < words; i += int64_t{blockDim.x} * kUnroll) {
    for (int u = 0; u < kUnroll; ++u) {
      const int64_t at = i + int64_t{u} * blockDim.x;
      if (at < words) total += sum(from[at + start < words ? at + start : at + start - words]);
    }
  }
  keep(total, sink);
}

/// `words` threads read a row together.
GPU_KERNEL void gather_kernel(const Word* table, int64_t rows, int words, int64_t count,
                              float* sink) {
  const int64_t index = gpu::global_index() / words;
  const auto lane = gpu::global_index() % words;
  if (index * kUnroll >= count) return;
  float total = 0;
  for (int u = 0; u < kUnroll; ++u) {
    const uint64_t random = mix(static_cast<uint64_t>(index * kUnroll + u)) >> 32;
    const auto row = static_cast<int64_t>(random * static_cast<uint64_t>(rows) >> 32);
    total += sum(table[row * words + lane]);
  }
  keep(total, sink);
}

dim3 grid_of(int64_t words) {
  constexpr int64_t kBlockWords = kProbeThreads * kUnroll;
  return dim3(static_cast<unsigned>((words + kBlockWords - 1) / kBlockWords));
}

const Word* words_at(const void* data) { return static_cast<const Word*>(data); }

}  // namespace

void queue_copy(const void* from, void* to, int64_t bytes, const gpu::Stream& stream) {
  const int64_t words = bytes / kWordBytes;
  gpu::launch_plain(copy_kernel, grid_of(words), dim3(kProbeThreads), stream, words_at(from),
                    static_cast<Word*>(to), words);
}

void queue_read(const void* from, int64_t bytes, float* sink, const gpu::Stream& stream) {
  const int64_t words = bytes / kWordBytes;
  gpu::launch_plain(read_kernel, grid_of(words), dim3(kProbeThreads), stream, words_at(from), words,
                    sink);
}

void queue_shared_read(const void* from, int64_t bytes, int readers, float* sink,
                       const gpu::Stream& stream) {
  constexpr unsigned kManyThreads = 1024;
  gpu::launch_plain(shared_read_kernel, dim3(static_cast<unsigned>(readers)), dim3(kManyThreads),
                    stream, words_at(from), bytes / kWordBytes, sink);
}

void queue_gather(const void* table, int64_t bytes, int row_bytes, int64_t count, float* sink,
                  const gpu::Stream& stream) {
  const int words = row_bytes / kWordBytes;
  gpu::launch_flat(gather_kernel, count / kUnroll * words, stream, words_at(table),
                   bytes / row_bytes, words, count, sink);
}

}  // namespace spb::bench
