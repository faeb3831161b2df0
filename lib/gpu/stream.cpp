// SPDX-License-Identifier: Apache-2.0
#include "gpu/stream.h"

#include "gpu/check.h"
#include "gpu/outbox.h"
#include "gpu/stream_handle.h"

namespace spb::gpu {

Stream::Stream() {
  gpuStream_t made = {};
  check(gpuStreamCreateWithFlags(&made, gpuStreamNonBlocking), "create a stream");
  handle_ = made;
}

Stream::~Stream() {
  if (mark_) static_cast<void>(gpuEventDestroy(static_cast<gpuEvent_t>(mark_)));
  static_cast<void>(gpuStreamDestroy(handle_of(*this)));
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
  wait([&] { return gpuStreamSynchronize(handle_of(*this)); });
}

void Stream::mark() const {
  if (!mark_) {
    gpuEvent_t made = {};
    check(gpuEventCreateWithFlags(&made, gpuEventDisableTiming), "create an event");
    mark_ = made;
  }
  check(gpuEventRecord(static_cast<gpuEvent_t>(mark_), handle_of(*this)), "record an event");
}

void Stream::wait_for_mark() const {
  wait([&] { return mark_ ? gpuEventSynchronize(static_cast<gpuEvent_t>(mark_)) : gpuSuccess; });
}

Outbox& Stream::outbox() const {
  if (!outbox_) outbox_ = new Outbox;
  return *outbox_;
}

void Stream::send(void* device, const void* host, int64_t bytes) const {
  outbox().send(device, host, bytes, *this);
}

const void* Stream::post(const void* host, int64_t bytes) const {
  return outbox().post(host, bytes, *this);
}

}  // namespace spb::gpu
