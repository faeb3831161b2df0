#include <fstream>
#include <string>
#include <sys/utsname.h>
#include <thread>

#include "gpu/check.h"
#include "gpu/device_info.h"

namespace spb::gpu {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "CPU";
}

}  // namespace

const char* backend_name() { return "host"; }

std::vector<DeviceInfo> list_devices() {
  DeviceInfo device;
  device.name = processor_name();
  utsname system{};
  if (uname(&system) == 0) {
    device.arch = system.machine;
    device.driver_version = system.release;
  }
  device.multiprocessors = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  device.warp_size = vendor::kWarpSize;
  size_t free_bytes = 0, total_bytes = 0;
  check(gpuMemGetInfo(&free_bytes, &total_bytes), "size of memory");
  device.memory_bytes = static_cast<int64_t>(total_bytes);
  return {device};
}

void use_device(int index) { check(gpuSetDevice(index), "use device " + std::to_string(index)); }

}  // namespace spb::gpu
