// SPDX-License-Identifier: Apache-2.0
// 3xtf32 on tensor cores: each product of fp32 values is three of TF32 values. CUDA only.
#pragma once

#include "gpu/mma/sm80.cuh"
#include "gpu/tf32x3.cuh"

namespace spb::gpu::sm80 {

/// Stands where atoms of one instruction per product stand; multiply_split() multiplies.
struct AtomTF32x3 {
  static constexpr int kDepth = AtomTF32::kDepth;
  using Sum = AtomTF32::Sum;
};

/// words = high parts of fp32 values; low = their low ones.
template <int Words>
__device__ void split(uint32_t (&words)[Words], uint32_t (&low)[Words]) {
#pragma unroll
  for (int w = 0; w < Words; ++w) {
    const Tf32Parts parts = split_tf32x3(__uint_as_float(words[w]));
    words[w] = __float_as_uint(parts.high);
    low[w] = __float_as_uint(parts.low);
  }
}

/// sums += A * B of a warp's fragments, which become their high parts. Small products come first;
/// each part goes through all columns, so that no sum waits for itself.
template <int TilesM, int TilesN>
__device__ void multiply_split(float (&accumulators)[TilesM][TilesN][4], uint32_t (&a)[TilesM][4],
                               uint32_t (&b)[TilesN][2]) {
  uint32_t b_low[TilesN][2];
#pragma unroll
  for (int j = 0; j < TilesN; ++j) split(b[j], b_low[j]);
#pragma unroll
  for (int i = 0; i < TilesM; ++i) {
    uint32_t a_low[4];
    split(a[i], a_low);
#pragma unroll
    for (int j = 0; j < TilesN; ++j) AtomTF32::multiply(accumulators[i][j], a_low, b[j]);
#pragma unroll
    for (int j = 0; j < TilesN; ++j) AtomTF32::multiply(accumulators[i][j], a[i], b_low[j]);
#pragma unroll
    for (int j = 0; j < TilesN; ++j) AtomTF32::multiply(accumulators[i][j], a[i], b[j]);
  }
}

}  // namespace spb::gpu::sm80
