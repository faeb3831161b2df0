#include <cstdio>
#include <string>

#include "core/error.h"
#include "gpu/check.h"
#include "gpu/device_info.h"

namespace spb::gpu {
namespace {

// 13000 is 13.0.
std::string version_text(int version) {
  if (version == 0) return "none";
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

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

}  // namespace

const char* backend_name() { return "cuda"; }

std::vector<DeviceInfo> list_devices() {
  int driver = 0, runtime = 0, count = 0;
  check(cudaDriverGetVersion(&driver), "version of the driver");
  check(cudaRuntimeGetVersion(&runtime), "version of the runtime");
  if (driver == 0)
    throw Error(ExitCode::runtime,
                "CUDA: no driver is installed; install the NVIDIA driver or use the host build");
  const gpuError_t error = gpuGetDeviceCount(&count);
  if (error == cudaErrorNoDevice || (error == gpuSuccess && count == 0))
    throw Error(ExitCode::runtime, "CUDA: the driver (" + version_text(driver) +
                                       ") finds no device; check CUDA_VISIBLE_DEVICES");
  check(error, "CUDA: count devices with driver " + version_text(driver));
  std::vector<DeviceInfo> devices;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, i), "properties of device " + std::to_string(i));
    DeviceInfo device;
    device.index = i;
    device.name = properties.name;
    device.arch = "sm_" + std::to_string(10 * properties.major + properties.minor);
    device.uuid = uuid_text(properties.uuid);
    device.driver_version = version_text(driver);
    device.runtime_version = version_text(runtime);
    device.multiprocessors = properties.multiProcessorCount;
    device.warp_size = properties.warpSize;
    device.memory_bytes = static_cast<int64_t>(properties.totalGlobalMem);
    devices.push_back(device);
  }
  return devices;
}

void use_device(int index) { check(gpuSetDevice(index), "use device " + std::to_string(index)); }

}  // namespace spb::gpu
