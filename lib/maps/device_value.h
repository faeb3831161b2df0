// One value in device memory: counters and flags that a build reads back.
#pragma once

#include "gpu/buffer.h"

namespace spb::maps {

/// A value in device memory, set from the host and read back (waits).
template <class T>
class DeviceValue {
 public:
  DeviceValue(const T& initial, gpu::Allocator& allocator, const gpu::Stream& stream)
      : buffer_(allocator, 1, gpu::Tag::workspace) {
    gpu::copy_to_device(buffer_.data(), &initial, sizeof(T), stream);
  }
  T* data() { return buffer_.data(); }
  T read(const gpu::Stream& stream) const {
    T value;
    gpu::copy_to_host(&value, buffer_.data(), sizeof(T), stream);
    return value;
  }

 private:
  gpu::Buffer<T> buffer_;
};

}  // namespace spb::maps
