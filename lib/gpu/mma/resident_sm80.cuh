// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel a multiprocessor holds at a time. CUDA only.
#pragma once

#include <cstddef>

#include "gpu/runtime.h"

namespace spb::gpu {

/// On the current device; 0 where the kernel cannot run. Also loads the kernel, so that no later
/// launch has to.
template <class... Params>
int resident_blocks(void (*kernel)(Params...), int threads, size_t shared_bytes) {
  int blocks = 0;
  const bool runs = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         static_cast<int>(shared_bytes)) == cudaSuccess &&
                    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                                  shared_bytes) == cudaSuccess;
  if (!runs) cudaGetLastError();  // a kernel that cannot run is an answer, no failure
  return runs ? blocks : 0;
}

}  // namespace spb::gpu
