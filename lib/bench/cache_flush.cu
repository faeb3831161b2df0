// SPDX-License-Identifier: Apache-2.0
#include "bench/cache_flush.h"

#include "gpu/launch.cuh"

namespace spb::bench {
namespace {

constexpr int kWordsPerThread = 8;  // on host, a thread costs more than its words

/// Reads and writes: a fill alone leaves part of a cache as it was (nvbench #270).
GPU_KERNEL void touch(uint64_t* words, int64_t n) {
  int64_t i = int64_t{blockIdx.x} * blockDim.x * kWordsPerThread + threadIdx.x;
  for (int k = 0; k < kWordsPerThread; ++k, i += blockDim.x)
    if (i < n) words[i] += 1;
}

}  // namespace

CacheFlush::CacheFlush(const gpu::Stream& stream, gpu::Allocator& allocator, int64_t bytes)
    : stream_(stream) {
  if (bytes > 0) {
    words_ = gpu::Buffer<uint64_t>(allocator, bytes / int64_t{sizeof(uint64_t)}, gpu::Tag::cache);
    gpu::fill_bytes(words_.data(), 0, words_.bytes(), stream);
  }
  run();
}

void CacheFlush::run() {
  const int64_t threads = (words_.size() + kWordsPerThread - 1) / kWordsPerThread;
  gpu::launch_flat(touch, threads, stream_, words_.data(), words_.size());
  stream_.synchronize();
}

}  // namespace spb::bench
