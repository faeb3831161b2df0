// SPDX-License-Identifier: Apache-2.0
// A kernel that holds a stream back until the host lets it go, so that a whole launch sequence is
// queued before the device starts on it (measurement.md, section 5). Not for host, where work runs
// at once.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "gpu/stream.h"

namespace spb::bench {

class Blocker {
 public:
  /// A stream that is still blocked after `limit_s` is released by a watchdog: work that waits for
  /// the stream, or overfills its queue, must not hang the program.
  explicit Blocker(double limit_s = 10);
  ~Blocker();
  Blocker(const Blocker&) = delete;  // the device reads its flag
  Blocker& operator=(const Blocker&) = delete;

  /// Queues the blocking kernel. Whatever ran before has passed.
  void block(const gpu::Stream& stream);
  void release();
  /// Whether the watchdog had to release the last block().
  bool timed_out() const { return timed_out_; }

 private:
  void watch(const std::stop_token& stop);

  std::chrono::duration<double> limit_;
  volatile uint32_t* flag_ = nullptr;  // host memory that the device reads
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  bool armed_ = false;
  bool timed_out_ = false;
  std::chrono::steady_clock::time_point deadline_;
  std::jthread watchdog_;  // last: it uses all of the above
};

}  // namespace spb::bench
