// SPDX-License-Identifier: Apache-2.0
#include "gpu/vendor/hip.h"

#include <cstdint>

#include "gpu/launch_limits.h"

namespace spb::gpu::vendor {
namespace {

/// Of the device in use; the runtime is asked once a device.
size_t most_shared_bytes() {
  thread_local int of_device = -1, bytes = 0;
  int device = 0;
  if (hipGetDevice(&device) != hipSuccess) return SIZE_MAX;
  if (device != of_device) {
    if (hipDeviceGetAttribute(&bytes, hipDeviceAttributeMaxSharedMemoryPerBlock, device) !=
        hipSuccess)
      return SIZE_MAX;
    of_device = device;
  }
  return static_cast<size_t>(bytes);
}

}  // namespace

void check_launch(dim3 grid, dim3 block, size_t shared_bytes) {
  require_grid(grid.x, block.x, kMostGridThreads);
  require_grid(grid.y, block.y, kMostGridThreads);
  require_grid(grid.z, block.z, kMostGridThreads);
  if (shared_bytes > 0) require_shared_memory(0, shared_bytes, most_shared_bytes());
}

hipError_t explain_launch(hipError_t error, const void* kernel, size_t shared_bytes) {
  if (error == hipSuccess) return error;
  hipFuncAttributes attributes{};
  if (hipFuncGetAttributes(&attributes, kernel) == hipSuccess)
    require_shared_memory(attributes.sharedSizeBytes, shared_bytes, most_shared_bytes());
  return error;
}

}  // namespace spb::gpu::vendor
