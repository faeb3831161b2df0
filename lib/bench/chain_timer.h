// SPDX-License-Identifier: Apache-2.0
// Device time of work in whose middle the host waits and reads back: a plan, the maps of a step.
#pragma once

#include <functional>
#include <optional>

#include "bench/blocker.h"
#include "bench/clock_meter.h"
#include "bench/cold_timer.h"
#include "gpu/event.h"

namespace spb::bench {

/// The host's part of such work, launches and allocations and the way back from a wait, varies by a
/// tenth and more from one process to the next; the device's part repeats. Each stretch between two
/// waits of the host is held back until all of it is queued, as ColdTimer holds back a run, and the
/// stretches' device times are added up.
class ChainTimer : gpu::Stream::WaitHook {
 public:
  explicit ChainTimer(const gpu::Stream& stream, double blocker_limit_s = 0.5);

  /// Device time of what `work`, which ran once before, puts into the stream. It may wait by
  /// the functions of Stream; nothing when it waited in another way and the blocker's watchdog had
  /// to step in.
  std::optional<DeviceSample> sample(const std::function<void()>& work);

 private:
  void before() override { end_stretch(); }
  void after() override {
    end_.synchronize();  // what was waited for may lie before it
    add_stretch();
    begin_stretch();
  }
  void begin_stretch();
  void end_stretch();
  void add_stretch();

  const gpu::Stream& stream_;
  gpu::Event begin_, end_;
  ClockMeter clock_;
  Blocker blocker_;
  double time_us_ = 0;
  bool timed_out_ = false;
};

}  // namespace spb::bench
