// SPDX-License-Identifier: Apache-2.0
// The state of the device while a phase is timed, read now and then between samples.
#pragma once

#include <optional>
#include <vector>

#include "gpu/device_monitor.h"

namespace spb::bench {

/// Medians over what was read; empty where the device does not tell.
struct Conditions {
  std::optional<double> sm_clock_mhz, mem_clock_mhz, power_w, temp_c;
  gpu::ThrottleReasons reasons;  ///< all that were seen
};

class DeviceWatch {
 public:
  /// Without a monitor everything stays empty.
  explicit DeviceWatch(gpu::DeviceMonitor* monitor) : monitor_(monitor) {}

  /// Reads when the last reading is 50 ms old; never inside a timed window.
  const gpu::DeviceState& poll();
  /// Of all readings since the last call, of one at least.
  Conditions conditions();

 private:
  void read();

  gpu::DeviceMonitor* monitor_;
  gpu::DeviceState last_;
  double last_us_ = -1e9;
  std::vector<double> sm_clock_, mem_clock_, power_, temp_;
  gpu::ThrottleReasons reasons_;
};

}  // namespace spb::bench
