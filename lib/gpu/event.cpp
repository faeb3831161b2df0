// SPDX-License-Identifier: Apache-2.0
#include "gpu/event.h"

#include "gpu/check.h"

namespace spb::gpu {

Event::Event() { check(gpuEventCreate(&handle_), "create an event"); }

Event::~Event() { static_cast<void>(gpuEventDestroy(handle_)); }

void Event::record(const Stream& stream) {
  check(gpuEventRecord(handle_, stream.handle()), "record an event");
}

void Event::synchronize() const { check(gpuEventSynchronize(handle_), "wait for an event"); }

bool Event::has_passed() const {
  const gpuError_t state = gpuEventQuery(handle_);
  if (state == gpuErrorNotReady)
    static_cast<void>(gpuGetLastError());  // no error of those who ask for the last one
  else
    check(state, "look at an event");
  return state == gpuSuccess;
}

double Event::microseconds_since(const Event& start) const {
  float milliseconds = 0;
  check(gpuEventElapsedTime(&milliseconds, start.handle_, handle_), "time between events");
  return 1e3 * static_cast<double>(milliseconds);
}

}  // namespace spb::gpu
