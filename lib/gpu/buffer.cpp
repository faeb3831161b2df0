#include "gpu/buffer.h"

#include "gpu/check.h"

namespace spb::gpu {

void copy_to_device(void* device, const void* host, int64_t bytes, const Stream& stream) {
  if (bytes == 0) return;
  check(gpuMemcpyAsync(device, host, static_cast<size_t>(bytes), gpuMemcpyHostToDevice,
                       stream.handle()),
        "copy to the device");
  stream.synchronize();
}

void copy_to_host(void* host, const void* device, int64_t bytes, const Stream& stream) {
  if (bytes)
    check(gpuMemcpyAsync(host, device, static_cast<size_t>(bytes), gpuMemcpyDeviceToHost,
                         stream.handle()),
          "copy from the device");
  stream.synchronize();
}

void fill_bytes(void* device, uint8_t byte, int64_t bytes, const Stream& stream) {
  if (bytes == 0) return;
  check(gpuMemsetAsync(device, byte, static_cast<size_t>(bytes), stream.handle()),
        "fill device memory");
}

}  // namespace spb::gpu
