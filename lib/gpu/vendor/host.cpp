// SPDX-License-Identifier: Apache-2.0
#include "gpu/vendor/host.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace {

// What a device's allocator promises, and enough for every vector width.
constexpr size_t kAlignment = 256;

size_t physical_bytes() {
  static const size_t bytes =
      static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::atomic<long> allocations_left = -1;

bool take_allocation(size_t bytes) {
  constexpr size_t kAlwaysGranted = 8 << 10;  // so that hashes of memory can be taken
  if (bytes <= kAlwaysGranted) return true;
  long left = allocations_left;
  while (left > 0 && !allocations_left.compare_exchange_weak(left, left - 1)) continue;
  return left != 0;
}

}  // namespace

void set_allocations_left(long count) { allocations_left = count; }

const char* gpuGetErrorName(gpuError_t error) {
  switch (error) {
    case gpuSuccess:
      return "gpuSuccess";
    case gpuErrorInvalidValue:
      return "gpuErrorInvalidValue";
    case gpuErrorMemoryAllocation:
      return "gpuErrorMemoryAllocation";
    case gpuErrorInvalidDevice:
      return "gpuErrorInvalidDevice";
    case gpuErrorNotSupported:
      return "gpuErrorNotSupported";
  }
  return "unknown";
}

const char* gpuGetErrorString(gpuError_t error) {
  switch (error) {
    case gpuSuccess:
      return "no error";
    case gpuErrorInvalidValue:
      return "invalid argument";
    case gpuErrorMemoryAllocation:
      return "out of memory";
    case gpuErrorInvalidDevice:
      return "no such device: the host build has device 0 only";
    case gpuErrorNotSupported:
      return "not supported by the host build";
  }
  return "unknown error";
}

gpuError_t gpuMalloc(void** data, size_t bytes) {
  if (bytes > physical_bytes() || !take_allocation(bytes)) return gpuErrorMemoryAllocation;
  const size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  *data = std::aligned_alloc(kAlignment, rounded ? rounded : kAlignment);
  return *data ? gpuSuccess : gpuErrorMemoryAllocation;
}

gpuError_t gpuFree(void* data) {
  std::free(data);
  return gpuSuccess;
}

gpuError_t gpuMallocHost(void** data, size_t bytes) { return gpuMalloc(data, bytes); }
gpuError_t gpuFreeHost(void* data) { return gpuFree(data); }

gpuError_t gpuMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  *total_bytes = physical_bytes();
  *free_bytes =
      static_cast<size_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return gpuSuccess;
}

gpuError_t gpuMemcpyAsync(void* to, const void* from, size_t bytes, gpuMemcpyKind, gpuStream_t) {
  if (bytes) std::memmove(to, from, bytes);
  return gpuSuccess;
}

gpuError_t gpuMemsetAsync(void* data, int byte, size_t bytes, gpuStream_t) {
  if (bytes) std::memset(data, byte, bytes);
  return gpuSuccess;
}

gpuError_t gpuMemset2DAsync(void* data, size_t pitch_bytes, int byte, size_t width_bytes,
                            size_t height, gpuStream_t) {
  for (size_t row = 0; row < height; ++row)
    std::memset(static_cast<char*>(data) + row * pitch_bytes, byte, width_bytes);
  return gpuSuccess;
}

gpuError_t gpuEventCreate(gpuEvent_t* event) {
  *event = new std::chrono::steady_clock::time_point();
  return gpuSuccess;
}

gpuError_t gpuEventDestroy(gpuEvent_t event) {
  delete event;
  return gpuSuccess;
}

gpuError_t gpuEventRecord(gpuEvent_t event, gpuStream_t) {
  *event = std::chrono::steady_clock::now();
  return gpuSuccess;
}

gpuError_t gpuEventElapsedTime(float* milliseconds, gpuEvent_t start, gpuEvent_t stop) {
  *milliseconds = std::chrono::duration<float, std::milli>(*stop - *start).count();
  return gpuSuccess;
}
