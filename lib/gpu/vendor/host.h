// SPDX-License-Identifier: Apache-2.0
// The host vendor: memory is the heap, work runs at once, kernels are ordinary functions.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

enum gpuError_t {
  gpuSuccess = 0,
  gpuErrorInvalidValue,
  gpuErrorMemoryAllocation,
  gpuErrorInvalidDevice,
  gpuErrorNotSupported,
};

enum gpuMemcpyKind {
  gpuMemcpyHostToHost,
  gpuMemcpyHostToDevice,
  gpuMemcpyDeviceToHost,
  gpuMemcpyDeviceToDevice,
  gpuMemcpyDefault,
};

using gpuStream_t = struct HostStream*;  // a token: never dereferenced
using gpuEvent_t = std::chrono::steady_clock::time_point*;
using gpuGraph_t = struct HostGraph*;
using gpuGraphExec_t = struct HostGraphExec*;

enum gpuStreamCaptureMode { gpuStreamCaptureModeThreadLocal };

const char* gpuGetErrorName(gpuError_t error);
const char* gpuGetErrorString(gpuError_t error);
inline gpuError_t gpuGetLastError() { return gpuSuccess; }
inline gpuError_t gpuPeekAtLastError() { return gpuSuccess; }

inline gpuError_t gpuGetDeviceCount(int* count) { return *count = 1, gpuSuccess; }
inline gpuError_t gpuGetDevice(int* index) { return *index = 0, gpuSuccess; }
inline gpuError_t gpuSetDevice(int index) { return index ? gpuErrorInvalidDevice : gpuSuccess; }
inline gpuError_t gpuDeviceSynchronize() { return gpuSuccess; }

/// Refuses what exceeds the memory of the machine, which an overcommitting kernel would grant.
gpuError_t gpuMalloc(void** data, size_t bytes);
/// For tests: how many more calls for over 8 KiB succeed, as on a device whose memory fills up;
/// negative: all.
void set_allocations_left(long count);
gpuError_t gpuFree(void* data);
gpuError_t gpuMallocHost(void** data, size_t bytes);
gpuError_t gpuFreeHost(void* data);
gpuError_t gpuMemGetInfo(size_t* free_bytes, size_t* total_bytes);
gpuError_t gpuMemcpyAsync(void* to, const void* from, size_t bytes, gpuMemcpyKind kind,
                          gpuStream_t stream);
gpuError_t gpuMemsetAsync(void* data, int byte, size_t bytes, gpuStream_t stream);
gpuError_t gpuMemset2DAsync(void* data, size_t pitch_bytes, int byte, size_t width_bytes,
                            size_t height, gpuStream_t stream);

inline constexpr unsigned gpuStreamNonBlocking = 1;
inline gpuError_t gpuStreamCreateWithFlags(gpuStream_t* stream, unsigned) {
  return *stream = nullptr, gpuSuccess;
}
inline gpuError_t gpuStreamDestroy(gpuStream_t) { return gpuSuccess; }
inline gpuError_t gpuStreamSynchronize(gpuStream_t) { return gpuSuccess; }
inline gpuError_t gpuStreamWaitEvent(gpuStream_t, gpuEvent_t, unsigned) { return gpuSuccess; }

gpuError_t gpuEventCreate(gpuEvent_t* event);
inline constexpr unsigned gpuEventDisableTiming = 2;
inline gpuError_t gpuEventCreateWithFlags(gpuEvent_t* event, unsigned) {
  return gpuEventCreate(event);
}
gpuError_t gpuEventDestroy(gpuEvent_t event);
gpuError_t gpuEventRecord(gpuEvent_t event, gpuStream_t stream);
gpuError_t gpuEventElapsedTime(float* milliseconds, gpuEvent_t start, gpuEvent_t stop);
inline gpuError_t gpuEventSynchronize(gpuEvent_t) { return gpuSuccess; }

// Work that runs at once cannot be captured.
inline gpuError_t gpuStreamBeginCapture(gpuStream_t, gpuStreamCaptureMode) {
  return gpuErrorNotSupported;
}
inline gpuError_t gpuStreamEndCapture(gpuStream_t, gpuGraph_t*) { return gpuErrorNotSupported; }
inline gpuError_t gpuGraphGetNodes(gpuGraph_t, void*, size_t*) { return gpuErrorNotSupported; }
inline gpuError_t gpuGraphInstantiate(gpuGraphExec_t*, gpuGraph_t) { return gpuErrorNotSupported; }
inline gpuError_t gpuGraphLaunch(gpuGraphExec_t, gpuStream_t) { return gpuErrorNotSupported; }
inline gpuError_t gpuGraphExecDestroy(gpuGraphExec_t) { return gpuErrorNotSupported; }
inline gpuError_t gpuGraphDestroy(gpuGraph_t) { return gpuErrorNotSupported; }

namespace spb::gpu::vendor {
/// The heap is fast, and sanitizers see the use of released memory.
inline constexpr bool kKeepsReleasedMemory = false;
/// Of an axis of a grid: only blocks are limited.
inline constexpr uint64_t kMostGridThreads = UINT64_MAX;
}  // namespace spb::gpu::vendor

#include "gpu/vendor/host_device.h"  // uses the names above
