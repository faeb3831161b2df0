// SPDX-License-Identifier: Apache-2.0
// What a device does while it is timed: clocks, power, temperature, throttling. From the vendor's
// management interface, found at run time: without it a run goes on and says so.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "gpu/throttle_reasons.h"

namespace spb::gpu {

/// What the interface does not tell is left out.
struct DeviceState {
  std::optional<double> sm_clock_mhz, mem_clock_mhz, power_w, temp_c;
  ThrottleReasons reasons;
};

class DeviceMonitor {
 public:
  virtual ~DeviceMonitor() = default;
  /// Takes some 0.1 ms; never inside a timed window.
  virtual DeviceState read() = 0;
  /// Holds the multiprocessors' clock at `mhz`, 0: at the base clock, which the device can keep at
  /// its power limit. Empty when it does, else why not. Lasts beyond the process: unlock it.
  virtual std::string lock_clock(int mhz);
  virtual void unlock_clock() {}
};

struct OpenedMonitor {
  std::unique_ptr<DeviceMonitor> monitor;  ///< null when there is none
  std::string note;                        ///< its name and version, or why there is none
};

/// The monitor of this build's vendor for the device with this DeviceInfo::uuid.
OpenedMonitor open_monitor(const std::string& uuid);

/// NVIDIA: NVML, loaded with dlopen. `library` is another file in tests.
OpenedMonitor open_nvml(const std::string& uuid, const char* library = "libnvidia-ml.so.1");

/// AMD: what the kernel's amdgpu driver shows in sysfs, whose format, unlike that of the libraries
/// ROCm SMI and AMD SMI, does not change between versions. `uuid` is "PCI-" and the PCI address.
OpenedMonitor open_amdgpu(const std::string& uuid,
                          const std::filesystem::path& devices = "/sys/bus/pci/devices");

}  // namespace spb::gpu
