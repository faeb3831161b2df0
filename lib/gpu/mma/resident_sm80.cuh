// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel a multiprocessor holds at a time. CUDA only.
#pragma once

#include <atomic>
#include <cstddef>

#include "gpu/device_info.h"
#include "gpu/runtime.h"

namespace spb::gpu {

/// On the current device, for the threads and the shared memory that the kernel always has; 0 where
/// it cannot run. Also loads the kernel, so that no later launch has to. The driver is asked once
/// for each device: it takes microseconds to answer, and a plan asks for every kernel.
template <auto Kernel>
int resident_blocks(int threads, size_t shared_bytes) {
  constexpr int kMostDevices = 64, kUnknown = 0;  // known: blocks + 1
  static std::atomic<int> known[kMostDevices];
  const int device = device_index();
  if (device < kMostDevices)
    if (const int answer = known[device]; answer != kUnknown) return answer - 1;
  int blocks = 0;
  const bool runs = cudaFuncSetAttribute(Kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         static_cast<int>(shared_bytes)) == cudaSuccess &&
                    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, Kernel, threads,
                                                                  shared_bytes) == cudaSuccess;
  if (!runs) cudaGetLastError();  // a kernel that cannot run is an answer, no failure
  if (!runs) blocks = 0;
  if (device < kMostDevices) known[device] = blocks + 1;
  return blocks;
}

}  // namespace spb::gpu
