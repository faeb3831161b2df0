// SPDX-License-Identifier: Apache-2.0
#include "gpu/device_info.h"

#include <string_view>

#include "gpu/check.h"

namespace spb::gpu {

bool on_host() { return std::string_view(backend_name()) == "host"; }

int device_index() {
  int index = 0;
  check(gpuGetDevice(&index), "device in use");
  return index;
}

DeviceInfo device_in_use() { return list_devices().at(static_cast<size_t>(device_index())); }

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
