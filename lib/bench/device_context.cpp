// SPDX-License-Identifier: Apache-2.0
#include "bench/device_context.h"

#include <map>

#include "bench/cold_timer.h"
#include "gpu/device_info.h"

namespace spb::bench {

DeviceContext::DeviceContext()
    : opened(gpu::open_monitor(gpu::device_in_use().uuid)), watch(opened.monitor.get()) {
  if (gpu::on_host()) return;
  const gpu::Stream stream;
  gpu::Allocator allocator;
  timer_floor_us = bench::timer_floor_us(stream, allocator);
}

DeviceContext& device_context() {
  // A process may run on one device after another.
  static std::map<int, DeviceContext> contexts;
  return contexts.try_emplace(gpu::device_in_use().index).first->second;
}

}  // namespace spb::bench
