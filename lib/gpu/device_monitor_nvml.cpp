// SPDX-License-Identifier: Apache-2.0
// NVML without its header or its library at build time: the few functions used here have kept
// their names and types since 2014.
#include <dlfcn.h>
#include <utility>

#include "gpu/device_monitor.h"

namespace spb::gpu {
namespace {

using Status = int;  // 0 is success
using Device = void*;
constexpr int kSmClock = 1, kMemClock = 2, kGpuTemperature = 0;

struct Functions {
  Status (*init)() = nullptr;
  Status (*shutdown)() = nullptr;
  Status (*driver_version)(char*, unsigned) = nullptr;
  Status (*handle_by_uuid)(const char*, Device*) = nullptr;
  Status (*clock_info)(Device, int, unsigned*) = nullptr;
  Status (*power_usage)(Device, unsigned*) = nullptr;
  Status (*temperature)(Device, int, unsigned*) = nullptr;
  Status (*throttle_reasons)(Device, unsigned long long*) = nullptr;
  // Since 2018 only; null before.
  Status (*lock_clocks)(Device, unsigned, unsigned) = nullptr;
  Status (*reset_locked_clocks)(Device) = nullptr;
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool find_all(void* library, Functions& f) {
  if (!find(library, "nvmlDeviceResetGpuLockedClocks", f.reset_locked_clocks) ||
      !find(library, "nvmlDeviceSetGpuLockedClocks", f.lock_clocks))
    f.lock_clocks = nullptr;
  return find(library, "nvmlInit_v2", f.init) && find(library, "nvmlShutdown", f.shutdown) &&
         find(library, "nvmlSystemGetDriverVersion", f.driver_version) &&
         find(library, "nvmlDeviceGetHandleByUUID", f.handle_by_uuid) &&
         find(library, "nvmlDeviceGetClockInfo", f.clock_info) &&
         find(library, "nvmlDeviceGetPowerUsage", f.power_usage) &&
         find(library, "nvmlDeviceGetTemperature", f.temperature) &&
         find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", f.throttle_reasons);
}

struct Reason {
  unsigned long long bit;
  ThrottleReason reason;
};
// Not told, for they are normal: idle (0x1), clocks of applications (0x2), of displays (0x100).
constexpr Reason kReasons[] = {
    {0x4, ThrottleReason::sw_power_cap}, {0x8, ThrottleReason::hw_slowdown},
    {0x10, ThrottleReason::sync_boost},  {0x20, ThrottleReason::sw_thermal},
    {0x40, ThrottleReason::hw_thermal},  {0x80, ThrottleReason::hw_power_brake},
};
constexpr unsigned kBaseClock = 0xFFFF'FF01;  // NVML_CLOCK_LIMIT_ID_TDP
constexpr Status kInvalidArgument = 2, kNotSupported = 3, kNoPermission = 4;

class Nvml final : public DeviceMonitor {
 public:
  Nvml(void* library, const Functions& functions) : library_(library), f_(functions) {}
  ~Nvml() override {
    f_.shutdown();
    dlclose(library_);
  }
  Nvml(const Nvml&) = delete;  // owns the library
  Nvml& operator=(const Nvml&) = delete;

  bool use(const std::string& uuid) { return f_.handle_by_uuid(uuid.c_str(), &device_) == 0; }

  DeviceState read() override {
    DeviceState state;
    unsigned value = 0;
    if (f_.clock_info(device_, kSmClock, &value) == 0) state.sm_clock_mhz = value;
    if (f_.clock_info(device_, kMemClock, &value) == 0) state.mem_clock_mhz = value;
    if (f_.power_usage(device_, &value) == 0) state.power_w = value / 1e3;
    if (f_.temperature(device_, kGpuTemperature, &value) == 0) state.temp_c = value;
    unsigned long long bits = 0;
    if (f_.throttle_reasons(device_, &bits) != 0) state.reasons |= {ThrottleReason::unknown};
    for (const auto& [bit, reason] : kReasons)
      if (bits & bit) state.reasons |= {reason};
    return state;
  }

  std::string lock_clock(int mhz) override {
    if (!f_.lock_clocks) return "this NVML is too old";
    const unsigned clock = mhz > 0 ? static_cast<unsigned>(mhz) : kBaseClock;
    switch (const Status status = f_.lock_clocks(device_, clock, clock)) {
      case 0:
        return {};
      case kInvalidArgument:
        return "the device has no such clock";
      case kNotSupported:
        return "the device does not support it";
      case kNoPermission:
        return "no permission, which root has";
      default:
        return "NVML status " + std::to_string(status);
    }
  }
  void unlock_clock() override {
    if (f_.lock_clocks) static_cast<void>(f_.reset_locked_clocks(device_));
  }

 private:
  void* library_;
  Functions f_;
  Device device_ = nullptr;
};

}  // namespace

OpenedMonitor open_nvml(const std::string& uuid, const char* library) {
  void* opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!opened) return {nullptr, std::string("none: ") + library + " is not installed"};
  Functions functions;
  if (!find_all(opened, functions) || functions.init() != 0) {
    dlclose(opened);
    return {nullptr, std::string("none: ") + library + " cannot be started"};
  }
  auto monitor = std::make_unique<Nvml>(opened, functions);
  if (!monitor->use(uuid)) return {nullptr, "none: NVML does not know device " + uuid};
  char version[80] = "";
  static_cast<void>(functions.driver_version(version, sizeof version));
  return {std::move(monitor), std::string("NVML ") + version};
}

}  // namespace spb::gpu
