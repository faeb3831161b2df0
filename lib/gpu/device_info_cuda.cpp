// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

#include "core/error.h"
#include "gpu/check.h"
#include "gpu/cuda_driver.h"
#include "gpu/device_info.h"

namespace spb::gpu {
namespace {

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i) {
    char byte[8];
    const bool dash = i == 0 || i == 4 || i == 6 || i == 8 || i == 10;
    std::snprintf(byte, sizeof byte, dash ? "-%02x" : "%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(uuid.bytes[i])));
    text += byte;
  }
  return text;
}

/// Of the driver package ("580.95.05"), or empty where /proc does not show it.
std::string package_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  // "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build ..."
  for (std::string word; file >> word;)
    if (word.find_first_not_of("0123456789.") == std::string::npos &&
        std::count(word.begin(), word.end(), '.') >= 1)
      return word;
  return {};
}

int64_t attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), "attribute of a device");
  return value;
}

}  // namespace

const char* backend_name() { return "cuda"; }

std::vector<DeviceInfo> list_devices() {
  int driver = 0, runtime = 0, count = 0;
  check(cudaDriverGetVersion(&driver), "version of the driver");
  check(cudaRuntimeGetVersion(&runtime), "version of the runtime");
  check_cuda_driver(driver, runtime);
  const gpuError_t error = gpuGetDeviceCount(&count);
  if (error == cudaErrorNoDevice || (error == gpuSuccess && count == 0))
    throw Error(ExitCode::runtime, "CUDA: the driver (" + cuda_version_text(driver) +
                                       ") finds no device; check CUDA_VISIBLE_DEVICES");
  check(error, "CUDA: count devices with driver " + cuda_version_text(driver));
  std::vector<DeviceInfo> devices;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, i), "properties of device " + std::to_string(i));
    DeviceInfo device;
    device.index = i;
    device.name = properties.name;
    device.arch = "sm_" + std::to_string(10 * properties.major + properties.minor);
    device.uuid = uuid_text(properties.uuid);
    const std::string package = package_version();
    device.driver_version =
        (package.empty() ? "" : package + ", ") + "CUDA " + cuda_version_text(driver);
    device.runtime_version = cuda_version_text(runtime);
    device.multiprocessors = properties.multiProcessorCount;
    device.warp_size = properties.warpSize;
    device.memory_bytes = static_cast<int64_t>(properties.totalGlobalMem);
    device.cache_bytes = attribute(cudaDevAttrL2CacheSize, i);
    device.clock_mhz = static_cast<double>(attribute(cudaDevAttrClockRate, i)) / 1e3;
    device.memory_clock_mhz = static_cast<double>(attribute(cudaDevAttrMemoryClockRate, i)) / 1e3;
    devices.push_back(device);
  }
  return devices;
}

int64_t last_cache_bytes() { return attribute(cudaDevAttrL2CacheSize, device_index()); }

int multiprocessor_count() {
  return static_cast<int>(attribute(cudaDevAttrMultiProcessorCount, device_index()));
}

bool stamps_clock() { return true; }

std::string why_unusable(const DeviceInfo&) { return {}; }

std::string proven_on(const std::string& arch) {
  return arch.empty() || arch == "sm_90" ? "run on sm_90, see reports" : "compiled, never run";
}

}  // namespace spb::gpu
