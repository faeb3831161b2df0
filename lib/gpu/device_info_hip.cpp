// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>
#include <string_view>

#include "core/error.h"
#include "gpu/amd_arch.h"
#include "gpu/amd_caches.h"
#include "gpu/check.h"
#include "gpu/device_info.h"

namespace spb::gpu {
namespace {

// 50221153 is 5.2.21153.
std::string version_text(int version) {
  return std::to_string(version / 10000000) + "." + std::to_string(version / 100000 % 100) + "." +
         std::to_string(version % 100000);
}

constexpr const char* kPci = "PCI-";

// The driver has no UUID for every card; the PCI address tells the cards of one machine apart.
std::string pci_text(int index) {
  char text[64] = "";
  check(hipDeviceGetPCIBusId(text, sizeof text, index), "PCI address of a device");
  return std::string(kPci) + text;
}

int64_t cache_bytes(int index, int64_t l2_bytes, const std::string& arch) {
  const std::string pci = pci_text(index).substr(std::string_view(kPci).size());
  return last_amd_cache_bytes(l2_bytes, listed_cache_bytes(pci), arch);
}

}  // namespace

const char* backend_name() { return "hip"; }

std::vector<DeviceInfo> list_devices() {
  int count = 0;
  const gpuError_t error = gpuGetDeviceCount(&count);
  if (error == hipErrorNoDevice || (error == gpuSuccess && count == 0))
    throw Error(ExitCode::runtime,
                "HIP: no device; check that the amdgpu driver is loaded, /dev/kfd may be opened "
                "and HIP_VISIBLE_DEVICES is right");
  check(error, "HIP: count devices");
  int driver = 0, runtime = 0;
  check(hipDriverGetVersion(&driver), "version of the driver");
  check(hipRuntimeGetVersion(&runtime), "version of the runtime");
  std::vector<DeviceInfo> devices;
  for (int i = 0; i < count; ++i) {
    hipDeviceProp_t properties;
    check(hipGetDeviceProperties(&properties, i), "properties of device " + std::to_string(i));
    const std::string arch = properties.gcnArchName;  // "gfx90a:sramecc+:xnack-"
    DeviceInfo device;
    device.index = i;
    device.name = properties.name;
    device.arch = arch.substr(0, arch.find(':'));
    device.uuid = pci_text(i);
    device.driver_version = version_text(driver);
    device.runtime_version = version_text(runtime);
    device.multiprocessors = properties.multiProcessorCount;
    device.warp_size = properties.warpSize;
    device.memory_bytes = static_cast<int64_t>(properties.totalGlobalMem);
    device.cache_bytes = cache_bytes(i, properties.l2CacheSize, device.arch);
    device.clock_mhz = properties.clockRate / 1e3;
    device.memory_clock_mhz = properties.memoryClockRate / 1e3;
    devices.push_back(device);
  }
  return devices;
}

int64_t last_cache_bytes() { return device_in_use().cache_bytes; }

int multiprocessor_count() {
  int count = 0;
  check(hipDeviceGetAttribute(&count, hipDeviceAttributeMultiprocessorCount, device_index()),
        "number of multiprocessors");
  return count;
}

bool stamps_clock() { return amd_stamps_clock(device_in_use().arch); }

std::string why_unusable(const DeviceInfo& device) {
  return amd_refusal(SPB_HIP_ARCHITECTURES, device.arch, device.warp_size);
}

std::string proven_on(const std::string&) { return "compiled, never run"; }

}  // namespace spb::gpu
