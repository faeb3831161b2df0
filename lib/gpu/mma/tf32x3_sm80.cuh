// SPDX-License-Identifier: Apache-2.0
// 3xtf32 on tensor cores: each product of fp32 values is three of TF32 values. The split and its
// error: core/dtype.cpp. CUDA only.
#pragma once

#include "gpu/mma/sm80.cuh"

namespace spb::gpu::sm80 {

/// Stands where atoms of one instruction per product stand; multiply_split() multiplies.
struct AtomTF32x3 {
  static constexpr int kDepth = AtomTF32::kDepth;
  using Sum = AtomTF32::Sum;
};

/// words = high parts, fp32 values with 11 significant bits; low = the exact rests, of which the
/// tensor cores ignore the last bit. Five instructions a word.
///
/// An infinity is split into +-1 and itself, so that no zero and no rest of the other operand meets
/// it: sums are infinite or NaN where those of fp32 are. Finite values that round beyond the
/// finite, from (2 - 2^-11) 2^127 on, share that way and keep 11 bits. A sum that overflows may be
/// NaN where fp32 has an infinity, because parts differ in sign.
template <int Words>
__device__ void split(uint32_t (&words)[Words], uint32_t (&low)[Words]) {
  constexpr uint32_t kHighBits = 0xFFFFE000u, kHighBitsNearOne = 0xBFFFE000u;
#pragma unroll
  for (int w = 0; w < Words; ++w) {
    const float value = __uint_as_float(words[w]);
    const uint32_t kept = fabsf(value) < 0x1.ffep127f ? kHighBits : kHighBitsNearOne;
    words[w] = (words[w] + 0x1000) & kept;  // nearest, ties away from zero
    low[w] = __float_as_uint(value - __uint_as_float(words[w]));
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
