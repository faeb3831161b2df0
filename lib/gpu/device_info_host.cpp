// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <string>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

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
  device.multiprocessors = multiprocessor_count();
  device.warp_size = vendor::kWarpSize;
  size_t free_bytes = 0, total_bytes = 0;
  check(gpuMemGetInfo(&free_bytes, &total_bytes), "size of memory");
  device.memory_bytes = static_cast<int64_t>(total_bytes);
  device.cache_bytes = last_cache_bytes();
  return {device};
}

int64_t last_cache_bytes() {
  // A guest reads the cache of a whole socket, hundreds of megabytes; emptying that takes a tenth
  // of a second a sample and tests the tool no better than emptying its own share.
  constexpr int64_t kMost = 32 << 20;
  return std::clamp<int64_t>(sysconf(_SC_LEVEL3_CACHE_SIZE), 0, kMost);
}

int multiprocessor_count() {
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

bool stamps_clock() { return true; }

std::string why_unusable(const DeviceInfo&) { return {}; }

std::string proven_on(const std::string&) { return "run in CI"; }

}  // namespace spb::gpu
