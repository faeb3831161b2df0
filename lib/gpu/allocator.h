// SPDX-License-Identifier: Apache-2.0
// All device memory comes from here: tagged, counted, and, for verification, guarded and poisoned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/error.h"
#include "gpu/memory_pool.h"
#include "gpu/stream.h"

namespace spb::gpu {

enum class Tag { input, weight, output, plan, workspace, cache };
inline constexpr int kTagCount = 6;
const char* name(Tag tag);

/// Requested bytes, never rounded ones.
struct MemoryCounts {
  int64_t live_bytes = 0;
  int64_t peak_bytes = 0;  ///< largest live sum since reset_peaks()
  int64_t live_by_tag[kTagCount] = {};
  int64_t peak_by_tag[kTagCount] = {};
  int64_t allocations = 0;  ///< since reset_peaks()
};

/// Memory is exhausted; its own type, because a record then says how much was asked for.
class OutOfMemory : public Error {
 public:
  OutOfMemory(const std::string& message, int64_t bytes)
      : Error(ExitCode::runtime, message), bytes_(bytes) {}
  int64_t bytes() const { return bytes_; }

 private:
  int64_t bytes_;
};

/// A canary was overwritten: a stray write of the kernel before.
struct GuardDamage {
  Tag tag;
  int64_t buffer_bytes = 0;
  int64_t offset = 0;  ///< of the first damaged byte from the buffer's start; negative before it
};

/// What surrounds every buffer: none, or so many bytes on both sides.
struct Guards {
  static constexpr int64_t kPage = 4096;

  int64_t bytes = 0;

  static Guards page() { return {kPage}; }
  /// At least `overrun` bytes, in whole pages.
  static Guards beyond(int64_t overrun);
};

/// Released memory may be handed out again while the work that uses it still runs: all work on the
/// buffers of one allocator belongs on one stream, or on a Fork of it as Fork has it, or is waited
/// for before the release.
class Allocator {
 public:
  /// With guards, every buffer lies between two canaries filled with kGuardWord, is full of
  /// kFreshByte at first, and is never handed out again.
  explicit Allocator(Guards guards = {})
      : guards_(guards), pool_(guards.bytes == 0 && MemoryPool::worth_keeping()) {}
  ~Allocator();
  Allocator(const Allocator&) = delete;  // buffers hold a pointer to it
  Allocator& operator=(const Allocator&) = delete;

  /// Throws OutOfMemory naming bytes and tag. Zero bytes are legal.
  void* allocate(int64_t bytes, Tag tag);
  void release(void* data) noexcept;

  /// Fills every live buffer of `tag` with `byte`.
  void poison(Tag tag, uint8_t byte, const Stream& stream);
  /// Damaged canaries of all live buffers; empty when all are whole or guards are off.
  std::vector<GuardDamage> damaged_guards(const Stream& stream) const;
  /// One 64-bit hash over the contents of all live buffers of `tag`, in allocation order.
  uint64_t content_hash(Tag tag, const Stream& stream) const;

  const Guards& guards() const { return guards_; }
  const MemoryCounts& counts() const { return counts_; }
  int64_t device_bytes() const { return pool_.device_bytes(); }  ///< see MemoryPool
  bool keeps_released() const { return pool_.keeps(); }
  void reset_peaks();

  /// NaN in fp16, bf16 and fp32, no valid row index, unlike both poisons (0xFF, 0x00).
  static constexpr uint16_t kGuardWord = 0x7FE5;
  /// No number that a plan could begin with unnoticed: not 0, nor the -1 of an absent row.
  static constexpr uint8_t kFreshByte = 0x7F;

 private:
  struct Block {
    void* base = nullptr;
    int64_t bytes = 0;
    Tag tag = Tag::input;
    int64_t serial = 0;
  };
  /// What the pool is asked for: zero bytes still get an address of their own.
  int64_t pool_bytes(int64_t bytes) const;

  Guards guards_;
  MemoryPool pool_;
  std::unordered_map<void*, Block> blocks_;  // keyed by the address the user sees
  MemoryCounts counts_;
  int64_t next_serial_ = 0;
};

}  // namespace spb::gpu
