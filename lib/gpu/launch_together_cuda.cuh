// SPDX-License-Identifier: Apache-2.0
// Launching a grid whose blocks wait for each other.
#pragma once

#include <cuda_runtime.h>

#include "gpu/check.h"
#include "gpu/stream_handle.h"

namespace spb::gpu {

/// Cooperative launch: as gpu::launch (launch.cuh), of blocks that are all on the device at a time.
/// Throws Error (runtime) when they do not fit there together.
template <class... Params, class... Args>
void launch_together(void (*kernel)(Params...), dim3 grid, dim3 block, size_t shared_bytes,
                     const Stream& stream, Args... args) {
  static_assert(sizeof...(Params) == sizeof...(Args));
  if (uint64_t{grid.x} * grid.y * grid.z == 0) return;
  cudaLaunchAttribute together{};
  together.id = cudaLaunchAttributeCooperative;
  together.val.cooperative = 1;
  check(
      vendor::launch_with(&together, kernel, grid, block, shared_bytes, handle_of(stream), args...),
      "launch blocks that run together");
}

}  // namespace spb::gpu
