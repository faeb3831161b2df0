// SPDX-License-Identifier: Apache-2.0
// What is known of the device in use, once per device and process.
#pragma once

#include "bench/device_watch.h"
#include "gpu/device_monitor.h"

namespace spb::bench {

struct DeviceContext {
  DeviceContext();
  gpu::OpenedMonitor opened;
  DeviceWatch watch;
  double timer_floor_us = 0;  ///< 0 on host, whose clock has none to speak of
};

/// Of the device in use; made at the first call for it.
DeviceContext& device_context();

}  // namespace spb::bench
