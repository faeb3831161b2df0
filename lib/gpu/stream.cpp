// SPDX-License-Identifier: Apache-2.0
#include "gpu/stream.h"

#include "gpu/check.h"
#include "gpu/outbox.h"
#include "gpu/stream_handle.h"

namespace spb::gpu {
namespace {

void make_event(void*& event) {
  if (event) return;
  gpuEvent_t made = {};
  check(gpuEventCreateWithFlags(&made, gpuEventDisableTiming), "create an event");
  event = made;
}

/// What is queued in `later` from now on begins behind what is queued in `first`.
gpuError_t order(const Stream& first, void* event, const Stream& later) {
  const auto passed = static_cast<gpuEvent_t>(event);
  const gpuError_t error = gpuEventRecord(passed, handle_of(first));
  return error == gpuSuccess ? gpuStreamWaitEvent(handle_of(later), passed, 0) : error;
}

}  // namespace

Stream::Stream() {
  gpuStream_t made = {};
  check(gpuStreamCreateWithFlags(&made, gpuStreamNonBlocking), "create a stream");
  handle_ = made;
}

Stream::~Stream() {
  delete beside_;
  for (void* event : {mark_, forked_, joined_})
    if (event) static_cast<void>(gpuEventDestroy(static_cast<gpuEvent_t>(event)));
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
  make_event(mark_);
  check(gpuEventRecord(static_cast<gpuEvent_t>(mark_), handle_of(*this)), "record an event");
}

void Stream::wait_for_mark() const {
  wait([&] { return mark_ ? gpuEventSynchronize(static_cast<gpuEvent_t>(mark_)) : gpuSuccess; });
}

Fork::Fork(const Stream& stream) : stream_(stream) {
  if (!stream.beside_) stream.beside_ = new Stream;
  make_event(stream.forked_);
  make_event(stream.joined_);
  check(order(stream, stream.forked_, *stream.beside_), "fork a stream");
}

Fork::~Fork() {
  if (!joined_) static_cast<void>(order(*stream_.beside_, stream_.joined_, stream_));
}

void Fork::join() {
  joined_ = true;
  check(order(*stream_.beside_, stream_.joined_, stream_), "join a stream");
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
