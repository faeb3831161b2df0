// SPDX-License-Identifier: Apache-2.0
#include "gpu/content_hash.h"

#include <cstring>
#include <numeric>
#include <vector>

#include "gpu/atomic.cuh"
#include "gpu/buffer.h"
#include "gpu/launch.cuh"
#include "gpu/scratch.h"

namespace spb::gpu {
namespace {

constexpr int64_t kWordsPerThread = 16;
constexpr int64_t kSums = 1024;  // one sum for all would be a queue

/// The finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
__host__ __device__ inline uint64_t mixed(uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/// A word at its place; summed modulo 2^64, so that threads may come in any order.
__host__ __device__ inline uint64_t placed(uint64_t word, int64_t at) {
  return mixed(word ^ mixed(static_cast<uint64_t>(at) + 0x9e3779b97f4a7c15u));
}

GPU_KERNEL void sum_words(const uint64_t* words, int64_t n, uint64_t* sums) {
  // A block reads kWordsPerThread rows of blockDim.x neighboring words.
  const int64_t first = int64_t{blockIdx.x} * blockDim.x * kWordsPerThread + threadIdx.x;
  uint64_t sum = 0;
  for (int64_t k = 0; k < kWordsPerThread; ++k) {
    const int64_t at = first + k * blockDim.x;
    if (at < n) sum += placed(words[at], at);
  }
  atomic_add(sums + blockIdx.x % kSums, sum);
}

}  // namespace

uint64_t content_hash(const void* data, int64_t bytes, const Stream& stream) {
  const int64_t words = bytes / 8;
  uint64_t hash = mixed(static_cast<uint64_t>(bytes));
  if (words > 0) {
    const Scratch<uint64_t> sums = scratch<uint64_t>(kSums, "hash a buffer");
    fill_bytes(sums.get(), 0, kSums * int64_t{sizeof(uint64_t)}, stream);
    launch_flat(sum_words, (words + kWordsPerThread - 1) / kWordsPerThread, stream,
                static_cast<const uint64_t*>(data), words, sums.get());
    std::vector<uint64_t> parts(kSums);
    copy_to_host(parts.data(), sums.get(), kSums * int64_t{sizeof(uint64_t)}, stream);
    hash = std::accumulate(parts.begin(), parts.end(), hash);
  }
  if (bytes % 8 != 0) {
    uint64_t tail = 0;
    copy_to_host(&tail, static_cast<const char*>(data) + 8 * words, bytes % 8, stream);
    hash += placed(tail, words);
  }
  return mixed(hash);
}

}  // namespace spb::gpu
