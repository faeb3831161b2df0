// SPDX-License-Identifier: Apache-2.0
// An owned array in device memory.
#pragma once

#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpu/allocator.h"

namespace spb::gpu {

/// Copies `bytes` bytes and waits; small wrappers so that templates below stay thin.
void copy_to_device(void* device, const void* host, int64_t bytes, const Stream& stream);
void copy_to_host(void* host, const void* device, int64_t bytes, const Stream& stream);
void fill_bytes(void* device, uint8_t byte, int64_t bytes, const Stream& stream);  // does not wait

/// Copies between device memory and page-locked memory, or within either, and does not wait.
void transfer(void* to, const void* from, int64_t bytes, const Stream& stream);
/// Page-locked memory, which gpuFreeHost() frees; what lives as long as the process leaves it.
void* page_locked(int64_t bytes);

/// Bytes of `size` elements; more than 64 bits count are refused as a memory that is exhausted.
int64_t bytes_of(int64_t size, int64_t element_bytes);

/// Page-locked memory of the calling thread, which kernels may write to: what they leave there
/// needs no copy, only a wait. Valid until the next call or copy_to_host.
void* landing(int64_t bytes);

/// The same for what is read later: it is nobody else's until it goes, when its thread keeps it for
/// the next one.
class LandingPlace {
 public:
  explicit LandingPlace(int64_t bytes);
  ~LandingPlace();
  LandingPlace(const LandingPlace&) = delete;  // owns page-locked memory
  LandingPlace& operator=(const LandingPlace&) = delete;

  void* data() const { return memory_; }

 private:
  void* memory_;
  int64_t bytes_;
};

template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(Allocator& allocator, int64_t size, Tag tag)
      : allocator_(&allocator),
        data_(static_cast<T*>(allocator.allocate(bytes_of(size, sizeof(T)), tag))),
        size_(size) {}
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  ~Buffer() {
    if (data_) allocator_->release(data_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  int64_t size() const { return size_; }
  int64_t bytes() const { return size_ * int64_t{sizeof(T)}; }

  void upload(std::span<const T> host, const Stream& stream) {
    copy_to_device(data_, host.data(), static_cast<int64_t>(host.size_bytes()), stream);
  }
  /// As upload(), without waiting.
  void send(std::span<const T> host, const Stream& stream) {
    stream.send(data_, host.data(), static_cast<int64_t>(host.size_bytes()));
  }
  std::vector<T> download(const Stream& stream) const {
    std::vector<T> host;
    if (size_ > 0) host.resize(static_cast<size_t>(size_));
    copy_to_host(host.data(), data_, bytes(), stream);
    return host;
  }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(allocator_, other.allocator_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
  Allocator* allocator_ = nullptr;
  T* data_ = nullptr;
  int64_t size_ = 0;
};

}  // namespace spb::gpu
