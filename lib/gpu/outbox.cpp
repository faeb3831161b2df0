// SPDX-License-Identifier: Apache-2.0
#include "gpu/outbox.h"

#include <algorithm>
#include <cstring>

#include "gpu/check.h"

namespace spb::gpu {

Outbox::Outbox() {
  void* memory = nullptr;
  check(gpuMallocHost(&memory, kBytes), "allocate page-locked memory");
  memory_ = static_cast<char*>(memory);
}

Outbox::~Outbox() { static_cast<void>(gpuFreeHost(memory_)); }

void Outbox::send(void* device, const void* host, int64_t bytes, const Stream& stream) {
  auto* to = static_cast<char*>(device);
  const auto* from = static_cast<const char*>(host);
  if (used_ > 0 && sent_.has_passed()) used_ = 0;
  while (bytes > 0) {
    if (used_ == kBytes) {
      sent_.synchronize();
      used_ = 0;
    }
    const int64_t part = std::min(bytes, kBytes - used_);
    std::memcpy(memory_ + used_, from, static_cast<size_t>(part));
    check(gpuMemcpyAsync(to, memory_ + used_, static_cast<size_t>(part), gpuMemcpyHostToDevice,
                         stream.handle()),
          "copy to the device");
    sent_.record(stream);
    used_ += part;
    to += part;
    from += part;
    bytes -= part;
  }
}

}  // namespace spb::gpu
