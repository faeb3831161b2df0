// SPDX-License-Identifier: Apache-2.0
// The words of kernel code in CUDA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <type_traits>

// The instructions that convert bf16 and tf32 exist from sm_80 on.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#include "gpu/vendor/element_bits.h"
#define SPB_CONVERTS_IN_INTEGERS
#endif

#define GPU_KERNEL __global__

namespace spb::gpu {
namespace vendor {

inline constexpr unsigned kAllLanes = 0xFFFFFFFFu;

// CUDA's 64-bit atomics take unsigned long long, which is another type than uint64_t.
template <class T>
using Word = std::conditional_t<std::is_same_v<T, uint64_t> || std::is_same_v<T, int64_t>,
                                unsigned long long, T>;
template <class T>
__device__ Word<T>* word(T* address) {
  return reinterpret_cast<Word<T>*>(address);
}

template <class T>
__device__ T atomic_cas(T* address, T expected, T desired) {
  return static_cast<T>(atomicCAS(word(address), Word<T>(expected), Word<T>(desired)));
}
template <class T>
__device__ T atomic_exchange(T* address, T value) {
  return static_cast<T>(atomicExch(word(address), Word<T>(value)));
}
template <class T>
__device__ T atomic_add(T* address, T value) {
  return static_cast<T>(atomicAdd(word(address), Word<T>(value)));
}
template <class T>
__device__ T atomic_min(T* address, T value) {
  return static_cast<T>(atomicMin(word(address), Word<T>(value)));
}
template <class T>
__device__ T atomic_max(T* address, T value) {
  return static_cast<T>(atomicMax(word(address), Word<T>(value)));
}
template <class T>
__device__ T atomic_or(T* address, T value) {
  return static_cast<T>(atomicOr(word(address), Word<T>(value)));
}

#ifndef SPB_CONVERTS_IN_INTEGERS
// One instruction each.
__device__ inline float decode_f16(uint16_t bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}
__device__ inline uint16_t encode_f16(float value) {
  uint16_t bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}
__device__ inline float decode_bf16(uint16_t bits) { return __uint_as_float(uint32_t{bits} << 16); }
__device__ inline uint16_t encode_bf16(float value) {
  uint16_t bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}
__device__ inline int8_t encode_i8(float value) {
  int bits;
  asm("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return static_cast<int8_t>(bits);
}
__device__ inline float round_tf32(float value) {
  uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  // The instruction makes infinities of NaNs whose payload lies in the dropped bits.
  return value == value ? __uint_as_float(bits) : value;
}
#endif
#undef SPB_CONVERTS_IN_INTEGERS

/// `attribute`: one that a plain launch lacks, or null.
template <class... Params, class... Args>
cudaError_t launch_with(cudaLaunchAttribute* attribute, void (*kernel)(Params...), dim3 grid,
                        dim3 block, size_t shared_bytes, cudaStream_t stream, Args... args) {
  // Beyond 48 KiB of a block, a kernel's own shared memory included: up to 16 KiB here.
  constexpr size_t kWithoutAsking = (48 - 16) << 10;
  const void* function = reinterpret_cast<const void*>(kernel);
  if (shared_bytes > kWithoutAsking) {
    const cudaError_t error = cudaFuncSetAttribute(
        function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes));
    if (error != cudaSuccess) return error;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = attribute;
  config.numAttrs = attribute ? 1 : 0;
  // The parameters as the kernel declares them, not as the caller passed them.
  const auto run = [&](Params... params) {
    void* addresses[] = {static_cast<void*>(&params)..., nullptr};
    return cudaLaunchKernelExC(&config, function, addresses);
  };
  return run(static_cast<Params>(args)...);
}

template <class... Params, class... Args>
cudaError_t launch(void (*kernel)(Params...), dim3 grid, dim3 block, size_t shared_bytes,
                   cudaStream_t stream, bool /*barriers*/, Args... args) {
  return launch_with(nullptr, kernel, grid, block, shared_bytes, stream, args...);
}

/// By programmatic dependent launch, which devices have from sm_90 on.
template <class... Params, class... Args>
cudaError_t launch_early(void (*kernel)(Params...), dim3 grid, dim3 block, size_t shared_bytes,
                         cudaStream_t stream, bool /*barriers*/, Args... args) {
  int device = 0, major = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  if (error != cudaSuccess) return error;
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  return launch_with(major >= 9 ? &early : nullptr, kernel, grid, block, shared_bytes, stream,
                     args...);
}

}  // namespace vendor

__device__ inline void let_next_kernel_begin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
__device__ inline void wait_for_earlier_kernels_alone() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
__device__ inline void wait_for_earlier_kernels() {
  let_next_kernel_begin();
  wait_for_earlier_kernels_alone();
}

__device__ inline void sync_threads() { __syncthreads(); }
__device__ inline void sync_warp() { __syncwarp(); }
__host__ __device__ constexpr int warp_size() { return 32; }
__device__ inline int lane() {
  int index;
  asm("mov.u32 %0, %%laneid;" : "=r"(index));
  return index;
}
__device__ inline int multiprocessor() {
  int index;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(index));
  return index;
}
__device__ inline uint64_t cycles() { return static_cast<uint64_t>(clock64()); }
__device__ inline uint64_t nanoseconds() {
  uint64_t time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}
__device__ inline void finish_issuing_loads() { __syncwarp(__activemask()); }
__device__ inline uint64_t multiply_wide(uint32_t a, uint32_t b) {
  uint64_t product;
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
  return product;
}
template <int Bytes>
__device__ void copy_ahead(void* to, const void* from) {
  static_assert(Bytes == 4 || Bytes == 16);
#if __CUDA_ARCH__ >= 800
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(to));
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address), "l"(from) : "memory");
#else
  using Word = std::conditional_t<Bytes == 16, uint4, uint32_t>;
  *static_cast<Word*>(to) = *static_cast<const Word*>(from);
#endif
}
__device__ inline void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
template <class T>
__device__ T* dynamic_shared() {
  extern __shared__ uint4 spb_dynamic_shared[];
  return reinterpret_cast<T*>(spb_dynamic_shared);
}
template <class T>
__device__ __forceinline__ const T& first_argument(const T& parameter) {
  return parameter;
}
template <class T>
__device__ T shuffle(T value, int source) {
  return __shfl_sync(vendor::kAllLanes, value, source);
}
template <class T>
__device__ T shuffle_xor(T value, int mask) {
  return __shfl_xor_sync(vendor::kAllLanes, value, mask);
}
__device__ inline uint64_t ballot(bool predicate) {
  return __ballot_sync(vendor::kAllLanes, predicate);
}
__device__ inline int popcount(uint64_t bits) { return __popcll(bits); }
__device__ inline int lowest_bit(uint64_t bits) {
  return __ffsll(static_cast<long long>(bits)) - 1;
}

}  // namespace spb::gpu
