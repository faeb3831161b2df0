// SPDX-License-Identifier: Apache-2.0
#include "gpu/device_monitor.h"

#include <string_view>

#include "gpu/device_info.h"

namespace spb::gpu {

std::string DeviceMonitor::lock_clock(int) { return "this management interface cannot"; }

OpenedMonitor open_monitor(const std::string& uuid) {
  const std::string_view vendor = backend_name();
  if (vendor == "cuda") return open_nvml(uuid);
  if (vendor == "hip") return open_amdgpu(uuid);
  return {nullptr, "none: the host has no management interface"};
}

}  // namespace spb::gpu
