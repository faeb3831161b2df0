// SPDX-License-Identifier: Apache-2.0
#include "bench/chain_timer.h"

namespace spb::bench {

ChainTimer::ChainTimer(const gpu::Stream& stream, double blocker_limit_s)
    : stream_(stream), blocker_(blocker_limit_s) {
  // Loads the kernel of the stamps: inside a sample its loading would wait for the blocker.
  clock_.stamp_before(stream);
  clock_.stamp_after(stream);
  stream.synchronize();
}

void ChainTimer::begin_stretch() {
  if (!timed_out_) blocker_.block(stream_);
  begin_.record(stream_);
}

void ChainTimer::end_stretch() {
  end_.record(stream_);
  blocker_.release();
}

void ChainTimer::add_stretch() {
  time_us_ += end_.microseconds_since(begin_);
  timed_out_ |= blocker_.timed_out();
}

std::optional<DeviceSample> ChainTimer::sample(const std::function<void()>& work) {
  time_us_ = 0;
  timed_out_ = false;
  clock_.stamp_before(stream_);
  begin_stretch();
  stream_.set_wait_hook(this);
  try {
    work();
  } catch (...) {
    stream_.set_wait_hook(nullptr);
    blocker_.release();
    throw;
  }
  stream_.set_wait_hook(nullptr);
  end_stretch();
  clock_.stamp_after(stream_);
  stream_.synchronize();
  add_stretch();
  if (timed_out_) return std::nullopt;
  return DeviceSample{time_us_, clock_.mhz()};
}

}  // namespace spb::bench
