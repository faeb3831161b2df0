// SPDX-License-Identifier: Apache-2.0
// The words of kernel code on the host: each thread of a block is a fiber of one OS thread, the
// blocks of a grid are shared out among OS threads.
//
// Limits: a thread must not spin on a value that another thread of its block will write; barriers
// and warp collectives must be reached by all live threads at the same place of the source.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <tuple>
#include <type_traits>

#include "gpu/vendor/element_bits.h"
#include "gpu/vendor/host.h"

#define GPU_KERNEL
// NOLINTBEGIN(bugprone-reserved-identifier): the names of CUDA and HIP
#define __host__
#define __device__
#define __shared__ static thread_local  // an OS thread runs one block at a time
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
// NOLINTEND(bugprone-reserved-identifier)

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_size = 1, unsigned y_size = 1, unsigned z_size = 1)
      : x(x_size), y(y_size), z(z_size) {}
};

inline thread_local dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace spb::gpu {

/// Runs the threads of a block, and the blocks of a grid, from last to first: a missing barrier
/// then usually shows as a different result. Starts as the environment's SPB_HOST_REVERSE=1 says.
extern bool host_reverse_order;

namespace vendor {

using Site = std::source_location;
inline constexpr int kWarpSize = SPB_HOST_LANES;  // of the build; words of lanes have 64 bits
inline constexpr unsigned kMaxThreads = 1024;     // of a block

/// One thread's share of a kernel with its arguments bound.
struct KernelCall {
  void (*call)(const void* arguments);
  const void* arguments;
};

/// Runs the grid to its end. Without `barriers` threads run in a plain loop and may not wait.
void run_grid(const KernelCall& kernel, dim3 grid, dim3 block, size_t shared_bytes, bool barriers);

void wait_block(const Site& site);
void* shared_memory();
void copy_ahead(void* to, const void* from, size_t bytes, const Site& site);
void wait_for_copies();
int lane_index();

/// Values that the lanes of a warp showed each other in one collective.
struct WarpValues {
  const uint64_t* values;  ///< [kWarpSize]
  uint64_t lanes;          ///< those that took part
};
WarpValues exchange_lanes(uint64_t value, const Site& site);

template <class T>
T shuffle(T value, int source, const Site& site) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(uint64_t));
  uint64_t word = 0;
  std::memcpy(&word, &value, sizeof(T));
  const WarpValues warp = exchange_lanes(word, site);
  if (warp.lanes >> source & 1) std::memcpy(&value, &warp.values[source], sizeof(T));
  return value;
}
uint64_t ballot(bool predicate, const Site& site);

template <class T>
T atomic_cas(T* address, T expected, T desired) {
  std::atomic_ref<T>(*address).compare_exchange_strong(expected, desired,
                                                       std::memory_order_relaxed);
  return expected;
}

template <class T, class Combine>
T atomic_update(T* address, Combine combine) {
  std::atomic_ref<T> target(*address);
  T old = target.load(std::memory_order_relaxed);
  while (!target.compare_exchange_weak(old, combine(old), std::memory_order_relaxed)) {
  }
  return old;
}

template <class T>
T atomic_add(T* address, T value) {
  return std::atomic_ref<T>(*address).fetch_add(value, std::memory_order_relaxed);
}
template <class T>
T atomic_min(T* address, T value) {
  return atomic_update(address, [&](T old) { return std::min(old, value); });
}
template <class T>
T atomic_max(T* address, T value) {
  return atomic_update(address, [&](T old) { return std::max(old, value); });
}
template <class T>
T atomic_or(T* address, T value) {
  return std::atomic_ref<T>(*address).fetch_or(value, std::memory_order_relaxed);
}
template <class T>
T atomic_exchange(T* address, T value) {
  return std::atomic_ref<T>(*address).exchange(value, std::memory_order_relaxed);
}

template <class... Params, class... Args>
gpuError_t launch(void (*kernel)(Params...), dim3 grid, dim3 block, size_t shared_bytes,
                  HostStream*, bool barriers, Args... args) {
  const uint64_t threads = uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || threads > kMaxThreads) return gpuErrorInvalidValue;
  struct Bound {
    void (*kernel)(Params...);
    std::tuple<Params...> arguments;
  };
  const Bound bound{kernel, std::tuple<Params...>(static_cast<Params>(args)...)};
  const auto call = [](const void* data) {
    const Bound& b = *static_cast<const Bound*>(data);
    std::apply(b.kernel, b.arguments);
  };
  run_grid({call, &bound}, grid, block, shared_bytes, barriers);
  return gpuSuccess;
}

template <class... Params, class... Args>
gpuError_t launch_early(void (*kernel)(Params...), dim3 grid, dim3 block, size_t shared_bytes,
                        HostStream* stream, bool barriers, Args... args) {
  return launch(kernel, grid, block, shared_bytes, stream, barriers, args...);
}

}  // namespace vendor

inline void let_next_kernel_begin() {}
inline void wait_for_earlier_kernels_alone() {}
inline void wait_for_earlier_kernels() {}

inline void sync_threads(const vendor::Site& site = vendor::Site::current()) {
  vendor::wait_block(site);
}
inline void sync_warp(const vendor::Site& site = vendor::Site::current()) {
  vendor::exchange_lanes(0, site);
}
inline constexpr int warp_size() { return vendor::kWarpSize; }
inline int lane() { return vendor::lane_index(); }
inline int multiprocessor() { return 0; }
inline uint64_t nanoseconds() {
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                               std::chrono::nanoseconds(1));
}
/// Of a clock of 1 GHz: the processor's own is not to be read everywhere.
inline uint64_t cycles() { return nanoseconds(); }
inline void finish_issuing_loads() {}
inline uint64_t multiply_wide(uint32_t a, uint32_t b) { return uint64_t{a} * b; }
template <int Bytes>
void copy_ahead(void* to, const void* from, const vendor::Site& site = vendor::Site::current()) {
  static_assert(Bytes == 4 || Bytes == 16);
  vendor::copy_ahead(to, from, Bytes, site);
}
inline void wait_for_copies() { vendor::wait_for_copies(); }
template <class T>
T* dynamic_shared() {
  return static_cast<T*>(vendor::shared_memory());
}
template <class T>
const T& first_argument(const T& parameter) {
  return parameter;  // NOLINT(bugprone-return-const-ref-from-parameter): of a launch
}
template <class T>
T shuffle(T value, int source, const vendor::Site& site = vendor::Site::current()) {
  return vendor::shuffle(value, source, site);
}
template <class T>
T shuffle_xor(T value, int mask, const vendor::Site& site = vendor::Site::current()) {
  return vendor::shuffle(value, vendor::lane_index() ^ mask, site);
}
inline uint64_t ballot(bool predicate, const vendor::Site& site = vendor::Site::current()) {
  return vendor::ballot(predicate, site);
}
inline int popcount(uint64_t bits) { return std::popcount(bits); }
inline int lowest_bit(uint64_t bits) { return std::countr_zero(bits); }

}  // namespace spb::gpu
