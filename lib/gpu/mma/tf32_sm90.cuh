// SPDX-License-Identifier: Apache-2.0
// tf32 and 3xtf32 by warpgroups: A in registers, B in shared memory. CUDA only.
#pragma once

#include "gpu/element.cuh"
#include "gpu/mma/sm90.cuh"

namespace spb::gpu::sm90 {

/// Of an operand: 3xtf32 has high parts, and behind them the low ones.
template <class E>
inline constexpr int kTf32Parts = tf32_parts(E::dtype);
/// Words of A that a thread has for one instruction's depth: four of each part.
template <class E>
inline constexpr int kTf32Words = 4 * kTf32Parts<E>;

/// d += A * B over 8 values of k, as MultiplyTf32. The parts of B lie `part_bytes` apart, the first
/// at `b`. Small products come first.
template <class E, int N>
__device__ __forceinline__ void multiply_tf32(float (&d)[N / 2],
                                              const uint32_t (&words)[kTf32Words<E>], uint32_t b,
                                              [[maybe_unused]] uint32_t part_bytes) {
  const auto& high = reinterpret_cast<const uint32_t(&)[4]>(words);
  if constexpr (kTf32Parts<E> == 2) {
    const auto& low = reinterpret_cast<const uint32_t(&)[4]>(words[4]);
    MultiplyTf32<N>::step(d, low, matrix_descriptor(b));
    MultiplyTf32<N>::step(d, high, matrix_descriptor(b + part_bytes));
  }
  MultiplyTf32<N>::step(d, high, matrix_descriptor(b));
}

}  // namespace spb::gpu::sm90
