// SPDX-License-Identifier: Apache-2.0
#include "gpu/stream.h"

#include "gpu/check.h"
#include "gpu/outbox.h"

namespace spb::gpu {

Stream::Stream() {
  check(gpuStreamCreateWithFlags(&handle_, gpuStreamNonBlocking), "create a stream");
}

Stream::~Stream() {
  if (mark_) static_cast<void>(gpuEventDestroy(mark_));
  static_cast<void>(gpuStreamDestroy(handle_));
  delete outbox_;
}

template <class Wait>
void Stream::wait(Wait wait) const {
  ++waits_;
  WaitHook* hook = wait_hook_;
  if (hook) hook->before();
  check(wait(), "wait for a stream");
  if (hook) hook->after();
}

void Stream::synchronize() const {
  wait([&] { return gpuStreamSynchronize(handle_); });
}

void Stream::mark() const {
  if (!mark_) check(gpuEventCreateWithFlags(&mark_, gpuEventDisableTiming), "create an event");
  check(gpuEventRecord(mark_, handle_), "record an event");
}

void Stream::wait_for_mark() const {
  wait([&] { return mark_ ? gpuEventSynchronize(mark_) : gpuSuccess; });
}

void Stream::send(void* device, const void* host, int64_t bytes) const {
  if (!outbox_) outbox_ = new Outbox;
  outbox_->send(device, host, bytes, *this);
}

}  // namespace spb::gpu
