// SPDX-License-Identifier: Apache-2.0
#include "gpu/event.h"

#include "gpu/check.h"
#include "gpu/stream_handle.h"

namespace spb::gpu {
namespace {

gpuEvent_t event(void* handle) { return static_cast<gpuEvent_t>(handle); }

}  // namespace

Event::Event() {
  gpuEvent_t made = {};
  check(gpuEventCreate(&made), "create an event");
  handle_ = made;
}

Event::~Event() { static_cast<void>(gpuEventDestroy(event(handle_))); }

void Event::record(const Stream& stream) {
  check(gpuEventRecord(event(handle_), handle_of(stream)), "record an event");
}

void Event::synchronize() const { check(gpuEventSynchronize(event(handle_)), "wait for an event"); }

double Event::microseconds_since(const Event& start) const {
  float milliseconds = 0;
  check(gpuEventElapsedTime(&milliseconds, event(start.handle_), event(handle_)),
        "time between events");
  return 1e3 * static_cast<double>(milliseconds);
}

}  // namespace spb::gpu
