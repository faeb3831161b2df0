// SPDX-License-Identifier: Apache-2.0
#include "gpu/device_info.h"

#include <string>
#include <string_view>

#include "core/error.h"
#include "gpu/check.h"

namespace spb::gpu {

bool on_host() { return std::string_view(backend_name()) == "host"; }

namespace {

/// Of this thread; -1: not asked yet. The runtime takes 20 to 50 ns to answer.
thread_local int index_in_use = -1;

}  // namespace

void use_device(int index) {
  check(gpuSetDevice(index), "use device " + std::to_string(index));
  index_in_use = index;
  if (const std::string why = why_unusable(device_in_use()); !why.empty())
    throw Error(ExitCode::runtime, "device " + std::to_string(index) + ": " + why);
}

int device_index() {
  if (index_in_use < 0) check(gpuGetDevice(&index_in_use), "device in use");
  return index_in_use;
}

const DeviceInfo& device_in_use() {
  static const std::vector<DeviceInfo> devices = list_devices();
  return devices.at(static_cast<size_t>(device_index()));
}

int64_t free_memory_bytes() {
  size_t free_bytes = 0, total_bytes = 0;
  check(gpuMemGetInfo(&free_bytes, &total_bytes), "free memory");
  return static_cast<int64_t>(free_bytes);
}

bool context_is_lost() {
  static_cast<void>(gpuGetLastError());  // errors that passed do not stay
  return gpuDeviceSynchronize() != gpuSuccess;
}

}  // namespace spb::gpu
