// SPDX-License-Identifier: Apache-2.0
// Blocks of device memory that are handed out again after their release: asking the device takes
// 60 to 140 us each time, and giving back waits for all work.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace spb::gpu {

class MemoryPool {
 public:
  /// Without `keep`, blocks have exactly the size asked for, and one given back waits for the
  /// device and leaves the pool: what checks of memory errors need.
  explicit MemoryPool(bool keep) : keep_(keep) {}
  /// Returns kept blocks to the device. Blocks that are still taken are lost: give them back first.
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;  // owns blocks
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// A block of at least `bytes` > 0; kept blocks return to the device before memory is short.
  /// Null where the device refuses, for the reason refusal().
  void* take(int64_t bytes);
  /// `bytes`: as asked for.
  void give(void* block, int64_t bytes) noexcept;
  const char* refusal() const { return refusal_; }
  bool keeps() const { return keep_; }
  /// Whether programs keep what they release: on host the heap is fast, and sanitizers see the use
  /// of released memory.
  static bool worth_keeping();
  int64_t kept_bytes() const { return kept_bytes_; }
  /// The most that the device may have given for all blocks, its pages of 2 MiB counted whole; 0
  /// without `keep`.
  int64_t device_bytes() const { return device_bytes_; }

 private:
  void* from_device(int64_t bytes);
  void return_kept() noexcept;

  bool keep_;
  std::unordered_map<int64_t, std::vector<void*>> kept_;  // by bytes
  int64_t kept_bytes_ = 0, device_bytes_ = 0;
  const char* refusal_ = "";
};

}  // namespace spb::gpu
