// SPDX-License-Identifier: Apache-2.0
// HIP under the neutral names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <hip/hip_runtime_api.h>

namespace spb::gpu::vendor {
/// Of an axis of a grid. HIP's documentation of its launches: a grid times its block stays below
/// 2^32 in every dimension.
inline constexpr uint64_t kMostGridThreads = 0xFFFF'FFFF;

/// Throws Error (runtime) where the runtime would say "invalid value", or less.
void check_launch(dim3 grid, dim3 block, size_t shared_bytes);
/// Of a launch that may have failed: throws Error (runtime) where too much shared memory is why.
hipError_t explain_launch(hipError_t error, const void* kernel, size_t shared_bytes);
}  // namespace spb::gpu::vendor

#ifdef __HIPCC__
#include "gpu/vendor/hip_device.cuh"
#endif

using gpuError_t = hipError_t;
using gpuStream_t = hipStream_t;
using gpuEvent_t = hipEvent_t;
using gpuGraph_t = hipGraph_t;
using gpuGraphExec_t = hipGraphExec_t;
using gpuMemcpyKind = hipMemcpyKind;

#define gpuSuccess hipSuccess
#define gpuErrorInvalidValue hipErrorInvalidValue
#define gpuErrorMemoryAllocation hipErrorOutOfMemory
#define gpuErrorInvalidDevice hipErrorInvalidDevice
#define gpuErrorNotSupported hipErrorNotSupported
#define gpuGetErrorName hipGetErrorName
#define gpuGetErrorString hipGetErrorString
#define gpuGetLastError hipGetLastError
#define gpuPeekAtLastError hipPeekAtLastError

#define gpuGetDeviceCount hipGetDeviceCount
#define gpuGetDevice hipGetDevice
#define gpuSetDevice hipSetDevice
#define gpuDeviceSynchronize hipDeviceSynchronize

#define gpuMalloc hipMalloc
#define gpuFree hipFree
#define gpuFreeHost hipHostFree
#define gpuMemGetInfo hipMemGetInfo
#define gpuMemcpyHostToHost hipMemcpyHostToHost
#define gpuMemcpyHostToDevice hipMemcpyHostToDevice
#define gpuMemcpyDeviceToHost hipMemcpyDeviceToHost
#define gpuMemcpyDeviceToDevice hipMemcpyDeviceToDevice
#define gpuMemcpyDefault hipMemcpyDefault
#define gpuMemcpyAsync hipMemcpyAsync
#define gpuMemsetAsync hipMemsetAsync
#define gpuMemset2DAsync hipMemset2DAsync

#define gpuStreamNonBlocking hipStreamNonBlocking
#define gpuStreamCreateWithFlags hipStreamCreateWithFlags
#define gpuStreamDestroy hipStreamDestroy
#define gpuStreamSynchronize hipStreamSynchronize
#define gpuStreamWaitEvent hipStreamWaitEvent
#define gpuEventCreate hipEventCreate
#define gpuEventCreateWithFlags hipEventCreateWithFlags
#define gpuEventDisableTiming hipEventDisableTiming
#define gpuEventDestroy hipEventDestroy
#define gpuEventRecord hipEventRecord
#define gpuEventSynchronize hipEventSynchronize
#define gpuEventElapsedTime hipEventElapsedTime

#define gpuStreamCaptureModeThreadLocal hipStreamCaptureModeThreadLocal
#define gpuStreamBeginCapture hipStreamBeginCapture
#define gpuStreamEndCapture hipStreamEndCapture
#define gpuGraphLaunch hipGraphLaunch
#define gpuGraphExecDestroy hipGraphExecDestroy
#define gpuGraphDestroy hipGraphDestroy
#define gpuGraphGetNodes hipGraphGetNodes
inline gpuError_t gpuMallocHost(void** data, size_t bytes) { return hipHostMalloc(data, bytes, 0); }
inline gpuError_t gpuGraphInstantiate(gpuGraphExec_t* executable, gpuGraph_t graph) {
  return hipGraphInstantiate(executable, graph, nullptr, nullptr, 0);
}

namespace spb::gpu {
/// A device has no thread order to reverse; tests may set it all the same.
inline bool host_reverse_order = false;
namespace vendor {
inline constexpr bool kKeepsReleasedMemory = true;
}  // namespace vendor
}  // namespace spb::gpu
