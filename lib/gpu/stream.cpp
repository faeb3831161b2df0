// SPDX-License-Identifier: Apache-2.0
#include "gpu/stream.h"

#include "gpu/check.h"
#include "gpu/outbox.h"

namespace spb::gpu {

Stream::Stream() {
  check(gpuStreamCreateWithFlags(&handle_, gpuStreamNonBlocking), "create a stream");
}

Stream::~Stream() {
  static_cast<void>(gpuStreamDestroy(handle_));
  delete outbox_;
}

void Stream::synchronize() const {
  ++waits_;
  WaitHook* hook = wait_hook_;
  if (hook) hook->before();
  check(gpuStreamSynchronize(handle_), "wait for a stream");
  if (hook) hook->after();
}

void Stream::send(void* device, const void* host, int64_t bytes) const {
  if (!outbox_) outbox_ = new Outbox;
  outbox_->send(device, host, bytes, *this);
}

}  // namespace spb::gpu
