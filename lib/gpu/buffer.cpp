// SPDX-License-Identifier: Apache-2.0
#include "gpu/buffer.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gpu/check.h"
#include "gpu/stream_handle.h"

namespace spb::gpu {
namespace {

/// Page-locked memory that grows.
class Landing {
 public:
  ~Landing() { static_cast<void>(gpuFreeHost(memory_)); }
  void* memory(int64_t bytes) {
    if (bytes > bytes_) {
      static_cast<void>(gpuFreeHost(std::exchange(memory_, nullptr)));
      bytes_ = 0;
      memory_ = page_locked(bytes);
      bytes_ = bytes;
    }
    return memory_;
  }

 private:
  void* memory_ = nullptr;
  int64_t bytes_ = 0;
};

constexpr int64_t kLandingBytes = 4096;  // more is copied as fast to any memory

/// Page-locked memory that nobody uses, with its bytes.
struct KeptPlaces {
  std::vector<std::pair<void*, int64_t>> blocks;
  ~KeptPlaces() {
    for (const auto& [memory, bytes] : blocks) static_cast<void>(gpuFreeHost(memory));
  }
};
KeptPlaces& kept_places() {
  thread_local KeptPlaces places;
  return places;
}

}  // namespace

int64_t bytes_of(int64_t size, int64_t element_bytes) {
  int64_t bytes = 0;
  if (__builtin_mul_overflow(size, element_bytes, &bytes))
    throw OutOfMemory("allocate " + std::to_string(size) + " elements of " +
                          std::to_string(element_bytes) + " bytes: more than 2^63 - 1 bytes",
                      std::numeric_limits<int64_t>::max());
  return bytes;
}

void* landing(int64_t bytes) {
  thread_local Landing memory;
  return memory.memory(std::max(bytes, kLandingBytes));
}

LandingPlace::LandingPlace(int64_t bytes) : bytes_(std::max(bytes, kLandingBytes)) {
  auto& blocks = kept_places().blocks;
  const auto found =
      std::ranges::find_if(blocks, [&](const auto& block) { return block.second >= bytes_; });
  if (found == blocks.end()) {
    memory_ = page_locked(bytes_);
    return;
  }
  std::tie(memory_, bytes_) = *found;
  blocks.erase(found);
}

LandingPlace::~LandingPlace() { kept_places().blocks.emplace_back(memory_, bytes_); }

void copy_to_device(void* device, const void* host, int64_t bytes, const Stream& stream) {
  if (bytes == 0) return;
  check(gpuMemcpyAsync(device, host, static_cast<size_t>(bytes), gpuMemcpyHostToDevice,
                       handle_of(stream)),
        "copy to the device");
  stream.synchronize();
}

void copy_to_host(void* host, const void* device, int64_t bytes, const Stream& stream) {
  void* to = bytes > 0 && bytes <= kLandingBytes ? landing(bytes) : host;
  if (bytes)
    check(gpuMemcpyAsync(to, device, static_cast<size_t>(bytes), gpuMemcpyDeviceToHost,
                         handle_of(stream)),
          "copy from the device");
  stream.synchronize();
  if (to != host) std::memcpy(host, to, static_cast<size_t>(bytes));
}

void fill_bytes(void* device, uint8_t byte, int64_t bytes, const Stream& stream) {
  if (bytes == 0) return;
  check(gpuMemsetAsync(device, byte, static_cast<size_t>(bytes), handle_of(stream)),
        "fill device memory");
}

void transfer(void* to, const void* from, int64_t bytes, const Stream& stream) {
  check(gpuMemcpyAsync(to, from, static_cast<size_t>(bytes), gpuMemcpyDefault, handle_of(stream)),
        "copy");
}

void* page_locked(int64_t bytes) {
  void* memory = nullptr;
  check(gpuMallocHost(&memory, static_cast<size_t>(bytes)), "allocate page-locked memory");
  return memory;
}

}  // namespace spb::gpu
