// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory_pool.h"

#include <algorithm>
#include <bit>

#include "gpu/runtime.h"

namespace spb::gpu {
namespace {

/// Sizes come in eight steps per power of two: a slightly different size then finds a block too,
/// and no block is more than an eighth too large.
int64_t rounded(int64_t bytes) {
  const auto power = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(bytes)));
  const int64_t step = std::max<int64_t>(512, power / 8);
  return (bytes + step - 1) / step * step;
}

int64_t pages(int64_t bytes) {
  constexpr int64_t kPage = int64_t{2} << 20;
  return (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

MemoryPool::~MemoryPool() {
  if (keep_) static_cast<void>(gpuDeviceSynchronize());
  return_kept();
}

bool MemoryPool::worth_keeping() { return vendor::kKeepsReleasedMemory; }

void* MemoryPool::from_device(int64_t bytes) {
  void* block = nullptr;
  const gpuError_t error = gpuMalloc(&block, static_cast<size_t>(bytes));
  if (error == gpuSuccess) return block;
  static_cast<void>(gpuGetLastError());  // or the next launch would report it again
  refusal_ = gpuGetErrorString(error);
  return nullptr;
}

void* MemoryPool::take(int64_t bytes) {
  if (!keep_) return from_device(bytes);
  const int64_t size = rounded(bytes);
  if (const auto found = kept_.find(size); found != kept_.end() && !found->second.empty()) {
    void* block = found->second.back();
    found->second.pop_back();
    kept_bytes_ -= size;
    return block;
  }
  void* block = from_device(size);
  if (!block && kept_bytes_ > 0) {
    static_cast<void>(gpuDeviceSynchronize());
    return_kept();
    block = from_device(size);
  }
  if (block) device_bytes_ += pages(size);
  return block;
}

void MemoryPool::give(void* block, int64_t bytes) noexcept {
  if (!keep_) {
    static_cast<void>(gpuDeviceSynchronize());
    static_cast<void>(gpuFree(block));
    return;
  }
  const int64_t size = rounded(bytes);
  kept_[size].push_back(block);
  kept_bytes_ += size;
}

void MemoryPool::return_kept() noexcept {
  for (const auto& [bytes, blocks] : kept_)
    for (void* block : blocks) {
      static_cast<void>(gpuFree(block));
      device_bytes_ -= pages(bytes);
    }
  kept_.clear();
  kept_bytes_ = 0;
}

}  // namespace spb::gpu
