// SPDX-License-Identifier: Apache-2.0
// A mark in a stream, for timing.
#pragma once

#include "gpu/stream.h"

namespace spb::gpu {

class Event {
 public:
  Event();
  ~Event();
  Event(const Event&) = delete;  // owns a device handle
  Event& operator=(const Event&) = delete;

  void record(const Stream& stream);
  void synchronize() const;
  /// Device time from `start` to this event; both have been recorded and have passed.
  double microseconds_since(const Event& start) const;

 private:
  void* handle_ = nullptr;
};

}  // namespace spb::gpu
