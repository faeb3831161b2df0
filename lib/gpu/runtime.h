// SPDX-License-Identifier: Apache-2.0
// The vendor of this build: the only place where it is chosen. Defines the neutral gpu* names of
// the runtime and, for a compiler of device code, the words kernels are written in.
//
// A vendor header provides
//   types      gpuError_t gpuStream_t gpuEvent_t gpuGraph_t gpuGraphExec_t gpuMemcpyKind
//   errors     gpuSuccess gpuErrorMemoryAllocation gpuGetLastError gpuGetErrorName ...String
//   memory     gpuMalloc gpuFree gpuMallocHost gpuFreeHost gpuMemcpyAsync gpuMemsetAsync
//              gpuMemGetInfo
//   order      gpuStreamCreate... gpuStreamSynchronize gpuEvent... gpuDeviceSynchronize
//   graphs     gpuStreamBeginCapture gpuStreamEndCapture gpuGraphInstantiate gpuGraphLaunch ...
//   devices    gpuGetDeviceCount gpuGetDevice gpuSetDevice
//   choice     spb::gpu::vendor::kKeepsReleasedMemory: allocators reuse released blocks
// and in device code GPU_KERNEL, __host__, __device__, __shared__,
// __launch_bounds__, __forceinline__, threadIdx, blockIdx, blockDim, gridDim and namespace
// spb::gpu::vendor with the functions that launch.cuh, warp.cuh, atomic.cuh and element.cuh name.
#pragma once

#if defined(SPB_GPU_CUDA)
#include "gpu/vendor/cuda.h"
#elif defined(SPB_GPU_HIP)
#include "gpu/vendor/hip.h"
#elif defined(SPB_GPU_HOST)
#include "gpu/vendor/host.h"
#else
#error "SPB_GPU_CUDA, SPB_GPU_HIP or SPB_GPU_HOST must be defined; CMake does it from SPB_GPU"
#endif
