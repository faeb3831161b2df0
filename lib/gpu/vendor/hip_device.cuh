// SPDX-License-Identifier: Apache-2.0
// The words of kernel code in HIP.
#pragma once

#include <cstddef>
#include <cstdint>
#include <hip/hip_runtime.h>
#include <type_traits>

#include "gpu/vendor/element_bits.h"

#define GPU_KERNEL __global__

namespace spb::gpu {
namespace vendor {

// HIP's 64-bit atomics take unsigned long long, which is another type than uint64_t.
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

template <class... Params, class... Args>
hipError_t launch(void (*kernel)(Params...), dim3 grid, dim3 block, size_t shared_bytes,
                  hipStream_t stream, bool /*barriers*/, Args... args) {
  // The parameters as the kernel declares them, not as the caller passed them.
  const auto run = [&](Params... params) {
    void* addresses[] = {static_cast<void*>(&params)..., nullptr};
    const void* address = reinterpret_cast<const void*>(kernel);
    return explain_launch(hipLaunchKernel(address, grid, block, addresses, shared_bytes, stream),
                          address, shared_bytes);
  };
  check_launch(grid, block, shared_bytes);
  return run(static_cast<Params>(args)...);
}

template <class... Params, class... Args>
hipError_t launch_early(void (*kernel)(Params...), dim3 grid, dim3 block, size_t shared_bytes,
                        hipStream_t stream, bool barriers, Args... args) {
  return launch(kernel, grid, block, shared_bytes, stream, barriers, args...);
}

}  // namespace vendor

__device__ inline void let_next_kernel_begin() {}
__device__ inline void wait_for_earlier_kernels_alone() {}
__device__ inline void wait_for_earlier_kernels() {}

__device__ inline void sync_threads() { __syncthreads(); }
/// Lanes run in lockstep: only the compiler must be kept from moving memory accesses.
__device__ inline void sync_warp() {
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  __builtin_amdgcn_wave_barrier();
}
/// Known only to the compilation for a device, from the chip's generation: LLVM gives up the macro
/// that states it. DeviceInfo has it for the host, and amd_arch.h the same rule.
__host__ __device__ constexpr int warp_size() {
#if !defined(__HIP_DEVICE_COMPILE__) || defined(__GFX8__) || defined(__GFX9__)
  return 64;
#else
  return 32;
#endif
}
#if defined(__HIP_DEVICE_COMPILE__) && defined(__AMDGCN_WAVEFRONT_SIZE) && __clang_major__ < 20
static_assert(warp_size() == __AMDGCN_WAVEFRONT_SIZE, "compiled for other wavefronts than usual");
#endif
__device__ inline int lane() { return static_cast<int>(__lane_id()); }
#if defined(__HIP_DEVICE_COMPILE__) && defined(__GFX9__)
/// `Bits` bits of a hardware register, from bit `First` on (ISA manuals, S_GETREG_B32).
template <int Register, int First, int Bits>
__device__ int hardware_bits() {
  return static_cast<int>(__builtin_amdgcn_s_getreg(Register | First << 6 | (Bits - 1) << 11));
}
#endif
/// On gfx9: XCC, shader engine and compute unit; fewer than 1,024. HIP's headers state the
/// registers and bits; those of ROCm 5.2 lack the XCC, without which the eight of an MI300 share
/// indices. None on other chips: the cycles of gfx11 have 20 bits, which wrap within a millisecond,
/// and of gfx12 no source was found that states where the index is.
__device__ inline int multiprocessor() {
#if defined(__HIP_DEVICE_COMPILE__) && defined(__GFX9__)
  constexpr int kHwId = 4;
  const int unit = hardware_bits<kHwId, 8, 4>();
#if defined(__gfx908__) || defined(__gfx90a__)
  return hardware_bits<kHwId, 13, 3>() << 4 | unit;
#elif defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) || defined(__gfx950__)
  constexpr int kXccId = 20;
  return hardware_bits<kXccId, 0, 4>() << 6 | hardware_bits<kHwId, 13, 2>() << 4 | unit;
#else
  return hardware_bits<kHwId, 13, 2>() << 4 | unit;
#endif
#else
  return -1;
#endif
}
__device__ inline uint64_t cycles() { return __builtin_readcyclecounter(); }
__device__ inline uint64_t nanoseconds() {
  constexpr uint64_t kTick = 10;  // 100 MHz on every chip
#if __has_builtin(__builtin_readsteadycounter)
  return kTick * __builtin_readsteadycounter();
#elif defined(__GFX11__) || defined(__GFX12__)
#error "gfx11 and gfx12 have no s_memrealtime: they need clang 19 or newer, which reads their clock"
#else
  return kTick * __builtin_amdgcn_s_memrealtime();
#endif
}
__device__ inline void finish_issuing_loads() { __builtin_amdgcn_wave_barrier(); }
__device__ inline uint64_t multiply_wide(uint32_t a, uint32_t b) { return uint64_t{a} * b; }
template <int Bytes>
__device__ void copy_ahead(void* to, const void* from) {
  static_assert(Bytes == 4 || Bytes == 16);
  using Word = std::conditional_t<Bytes == 16, uint4, uint32_t>;
  *static_cast<Word*>(to) = *static_cast<const Word*>(from);
}
__device__ inline void wait_for_copies() {}
template <class T>
__device__ T* dynamic_shared() {
  extern __shared__ uint4 spb_dynamic_shared[];
  return reinterpret_cast<T*>(spb_dynamic_shared);
}
/// Arguments begin with the first parameter (LLVM, AMDGPU usage, kernarg segment).
template <class T>
__device__ __forceinline__ const T& first_argument(const T&) {
  return *reinterpret_cast<const T*>((const void*)__builtin_amdgcn_kernarg_segment_ptr());
}
template <class T>
__device__ T shuffle(T value, int source) {
  return __shfl(value, source);
}
template <class T>
__device__ T shuffle_xor(T value, int mask) {
  return __shfl_xor(value, mask);
}
__device__ inline uint64_t ballot(bool predicate) { return __ballot(predicate); }
__device__ inline int popcount(uint64_t bits) {
  return static_cast<int>(__popcll(static_cast<unsigned long long>(bits)));
}
__device__ inline int lowest_bit(uint64_t bits) {
  return static_cast<int>(__ffsll(static_cast<unsigned long long>(bits))) - 1;
}

}  // namespace spb::gpu
