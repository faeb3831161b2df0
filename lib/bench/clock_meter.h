// SPDX-License-Identifier: Apache-2.0
// The multiprocessors' clock while something ran, from stamps that a kernel takes on the device
// before and after it (measurement.md, section 10).
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/stream.h"

namespace spb::bench {

/// Of one multiprocessor.
struct ClockStamp {
  uint64_t cycles, nanoseconds, serial;
};

class ClockMeter {
 public:
  ClockMeter();
  ~ClockMeter();
  ClockMeter(const ClockMeter&) = delete;  // the device writes to its stamps
  ClockMeter& operator=(const ClockMeter&) = delete;

  void stamp_before(const gpu::Stream& stream) { stamp(0, stream); }
  void stamp_after(const gpu::Stream& stream) { stamp(1, stream); }
  /// Cycles over time between the stamps, which have passed: a median over the multiprocessors.
  /// Below 50 us, where the device's clock of nanoseconds ticks too coarsely, over the last ten
  /// such calls together. 0 when no multiprocessor took both stamps.
  double mhz();

 private:
  struct Elapsed {
    double cycles, nanoseconds;
  };
  void stamp(int which, const gpu::Stream& stream);

  ClockStamp* stamps_ = nullptr;  // [2][kMaxMultiprocessors], in page-locked host memory
  int blocks_;
  uint64_t serial_ = 0;
  std::vector<Elapsed> short_;  // the last ten
};

}  // namespace spb::bench
