// SPDX-License-Identifier: Apache-2.0
#include "gpu/guards.h"

#include <algorithm>

#include "gpu/allocator.h"
#include "gpu/buffer.h"
#include "gpu/launch.cuh"

namespace spb::gpu {
namespace {

constexpr int kBytesOfThread = 64;
static_assert(Guards::kPage % kBytesOfThread == 0);

/// Byte by byte: behind a buffer a guard begins anywhere.
GPU_KERNEL void guards_kernel(const uint8_t* const* guards, int64_t count, int64_t bytes,
                              uint16_t word, uint32_t* damaged) {
  const int64_t threads = bytes / kBytesOfThread, at = global_index();
  if (at >= count * threads) return;
  const uint8_t* own = guards[at / threads] + at % threads * kBytesOfThread;
  int other = 0;
  GPU_UNROLL
  for (int i = 0; i < kBytesOfThread; ++i)
    other |= own[i] ^ static_cast<uint8_t>(i % 2 == 0 ? word : word >> 8);
  if (other != 0) damaged[at / threads] = 1;
}

}  // namespace

std::vector<size_t> find_damaged(std::span<const void* const> guards, int64_t bytes, uint16_t word,
                                 const Stream& stream) {
  std::vector<size_t> found;
  if (guards.empty()) return found;
  const auto count = static_cast<int64_t>(guards.size());
  auto* listed = static_cast<const void**>(
      landing(bytes_of(count, int64_t{sizeof(void*)} + int64_t{sizeof(uint32_t)})));
  std::ranges::copy(guards, listed);
  auto* damaged = reinterpret_cast<uint32_t*>(listed + count);
  std::fill_n(damaged, count, 0);
  launch_flat(guards_kernel, count * (bytes / kBytesOfThread), stream,
              reinterpret_cast<const uint8_t* const*>(listed), count, bytes, word, damaged);
  stream.synchronize();
  for (size_t i = 0; i < guards.size(); ++i)
    if (damaged[i] != 0) found.push_back(i);
  return found;
}

}  // namespace spb::gpu
