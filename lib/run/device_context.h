// What is known of the device in use, once per process.
#pragma once

#include "bench/device_watch.h"
#include "gpu/device_monitor.h"

namespace spb::run {

struct DeviceContext {
  DeviceContext();
  gpu::OpenedMonitor opened;
  bench::DeviceWatch watch;
  double timer_floor_us = 0;  ///< 0 on host, whose clock has none to speak of
};

/// Made at the first call, for the device then in use.
DeviceContext& device_context();

}  // namespace spb::run
