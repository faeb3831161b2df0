#include "gpu/buffer.h"

#include <cstring>

#include "gpu/check.h"

namespace spb::gpu {
namespace {

/// Page-locked memory of the calling thread, where few bytes land faster than in other memory.
class Landing {
 public:
  static constexpr int64_t kBytes = 4096;
  ~Landing() { static_cast<void>(gpuFreeHost(memory_)); }
  void* memory() {
    if (!memory_) check(gpuMallocHost(&memory_, kBytes), "allocate page-locked memory");
    return memory_;
  }

 private:
  void* memory_ = nullptr;
};

}  // namespace

void copy_to_device(void* device, const void* host, int64_t bytes, const Stream& stream) {
  if (bytes == 0) return;
  check(gpuMemcpyAsync(device, host, static_cast<size_t>(bytes), gpuMemcpyHostToDevice,
                       stream.handle()),
        "copy to the device");
  stream.synchronize();
}

void copy_to_host(void* host, const void* device, int64_t bytes, const Stream& stream) {
  thread_local Landing landing;
  void* to = bytes > 0 && bytes <= Landing::kBytes ? landing.memory() : host;
  if (bytes)
    check(gpuMemcpyAsync(to, device, static_cast<size_t>(bytes), gpuMemcpyDeviceToHost,
                         stream.handle()),
          "copy from the device");
  stream.synchronize();
  if (to != host) std::memcpy(host, to, static_cast<size_t>(bytes));
}

void fill_bytes(void* device, uint8_t byte, int64_t bytes, const Stream& stream) {
  if (bytes == 0) return;
  check(gpuMemsetAsync(device, byte, static_cast<size_t>(bytes), stream.handle()),
        "fill device memory");
}

}  // namespace spb::gpu
