// SPDX-License-Identifier: Apache-2.0
// Atomic updates with relaxed order; each returns the value before it.
//
//   atomic_cas, _exchange   uint32_t, int32_t, uint64_t
//   atomic_add              uint32_t, int32_t, uint64_t, int64_t, float
//   atomic_min, _max        uint32_t, int32_t, uint64_t
//   atomic_or               uint32_t, uint64_t
#pragma once

#include <cstdint>
#include <type_traits>

#include "gpu/runtime.h"

namespace spb::gpu {

// type_identity: the address alone decides the type, so that literals convert.
template <class T>
using Same = std::type_identity_t<T>;

/// Stores `desired` if the word is `expected`.
template <class T>
__device__ T atomic_cas(T* address, Same<T> expected, Same<T> desired) {
  return vendor::atomic_cas(address, expected, desired);
}
template <class T>
__device__ T atomic_exchange(T* address, Same<T> value) {
  return vendor::atomic_exchange(address, value);
}
template <class T>
__device__ T atomic_add(T* address, Same<T> value) {
  return vendor::atomic_add(address, value);
}
template <class T>
__device__ T atomic_min(T* address, Same<T> value) {
  return vendor::atomic_min(address, value);
}
template <class T>
__device__ T atomic_max(T* address, Same<T> value) {
  return vendor::atomic_max(address, value);
}
template <class T>
__device__ T atomic_or(T* address, Same<T> value) {
  return vendor::atomic_or(address, value);
}

}  // namespace spb::gpu
