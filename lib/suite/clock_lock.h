// SPDX-License-Identifier: Apache-2.0
// --lock-clocks: the device's clock held still while a suite runs.
#pragma once

#include <string>

#include "gpu/device_monitor.h"
#include "suite/observer.h"

namespace spb::suite {

class ClockLock {
 public:
  /// `text` is "base" or a clock in MHz, as base_or_mhz() checks; empty: nothing is locked. Where
  /// the device does not let it, warns in one line and goes on, or throws Error (runtime) when it
  /// is `required`.
  ClockLock(const std::string& uuid, const std::string& text, bool required, Log& log);
  /// A process that is killed leaves the lock: nvidia-smi -rgc takes it away.
  ~ClockLock();
  ClockLock(const ClockLock&) = delete;  // owns the lock
  ClockLock& operator=(const ClockLock&) = delete;

  /// The column clock_policy, "locked:1500"; empty when nothing was locked.
  const std::string& policy() const { return policy_; }
  /// Why what was asked for is not locked; empty otherwise.
  const std::string& failure() const { return failure_; }

 private:
  gpu::OpenedMonitor opened_;
  std::string policy_, failure_;
};

}  // namespace spb::suite
