// SPDX-License-Identifier: Apache-2.0
// Device time of one run whose data are not in any cache (measurement.md, sections 4 and 5).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "bench/blocker.h"
#include "bench/cache_flush.h"
#include "bench/clock_meter.h"
#include "gpu/event.h"

namespace spb::bench {

struct DeviceSample {
  double time_us = 0;
  double sm_clock_mhz = 0;  ///< while it ran; 0 where unknown
};

class ColdTimer {
 public:
  /// `flush_bytes` are read and written before each sample: twice the device's last cache, or 0
  /// when the caller takes other data for each sample.
  ColdTimer(const gpu::Stream& stream, gpu::Allocator& allocator, int64_t flush_bytes,
            double blocker_limit_s = 10);

  /// The time between events around what `queue` puts into the stream. `queue` ran once before: a
  /// kernel that is loaded now would wait for the blocker. Nothing when the blocker's watchdog had
  /// to step in: then `queue` waits for the device and the sample would be wrong.
  std::optional<DeviceSample> sample(const std::function<void()>& queue);

 private:
  const gpu::Stream& stream_;
  CacheFlush flush_;
  gpu::Event begin_, end_;
  ClockMeter clock_;
  Blocker blocker_;
};

/// Median time of an empty kernel, sampled as runs are: no time is shorter.
double timer_floor_us(const gpu::Stream& stream, gpu::Allocator& allocator);

}  // namespace spb::bench
