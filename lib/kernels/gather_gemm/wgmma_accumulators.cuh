// SPDX-License-Identifier: Apache-2.0
// What becomes of a warpgroup's sums in registers: an epilogue, rows of elements of 16 bits or 8.
// CUDA only.
#pragma once

#include <type_traits>

#include "gpu/element.cuh"
#include "gpu/mma/sm90.cuh"
#include "kernels/common/epilogue.cuh"
#include "kernels/gather_gemm/params.h"
#include "kernels/gather_gemm/wgmma_traded_rows.cuh"

namespace spb::plans {

/// Accumulators of 64 rows and TileN columns from `column0` on, as gpu::sm90::Multiply leaves them:
/// of the thread's two rows, `half` 0 and 1, which the four lanes of a row share.
template <class E, int TileN>
struct WgmmaAccumulators {
  using Sum = typename E::Sum;
  using Out = typename E::Out;
  using FourSums = std::conditional_t<gpu::is_integer<E>, int4, float4>;

  static __device__ void add_bias(const GatherGemmParams& params, int column0,
                                  float (&accumulators)[TileN / 2]) {
    const int first = column0 + static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
    for (int i = 0; i < TileN / 8; ++i) {
      if (first + i * 8 >= params.n) continue;
      const float2 bias =
          __ldg(reinterpret_cast<const float2*>(params.epilogue.bias + first + i * 8));
      accumulators[4 * i] += bias.x;
      accumulators[4 * i + 1] += bias.y;
      accumulators[4 * i + 2] += bias.x;
      accumulators[4 * i + 3] += bias.y;
    }
  }

  /// What an epilogue has behind the bias, of the row of `half`.
  static __device__ void finish_row(const GatherGemmParams& params, int64_t row, bool inside,
                                    int column0, int half, float (&accumulators)[TileN / 2]) {
    const OutputEpilogue& epilogue = params.epilogue;
    const int first = column0 + static_cast<int>(threadIdx.x) % 4 * 2;
    if (epilogue.residual) {
      const auto* residual = static_cast<const Out*>(epilogue.residual) + row * params.n;
#pragma unroll
      for (int i = 0; i < TileN / 8; ++i) {
        if (!inside || first + i * 8 >= params.n) continue;
        const float2 pair = load_pair(residual + first + i * 8);
        accumulators[4 * i + half * 2] += pair.x;
        accumulators[4 * i + half * 2 + 1] += pair.y;
      }
    }
    activate(epilogue, half, accumulators);
  }

  static __device__ void activate(const OutputEpilogue& epilogue, int half,
                                  Sum (&accumulators)[TileN / 2]) {
    with_activation(epilogue, [&](auto activate) {
#pragma unroll
      for (int i = 0; i < TileN / 8; ++i)
#pragma unroll
        for (int r = 0; r < 2; ++r) {
          Sum& sum = accumulators[4 * i + half * 2 + r];
          if constexpr (gpu::is_integer<E>)
            sum = __float_as_int(activate(__int_as_float(sum)));
          else
            sum = activate(sum);
        }
    });
  }

  /// Of scaled dtypes: sums become what their epilogue makes of them; of integers, the bits of
  /// floats. Both rows at a time, which have the same scales.
  static __device__ void scale(const GatherGemmParams& params, const int64_t (&row)[2],
                               const bool (&inside)[2], int column0,
                               Sum (&accumulators)[TileN / 2]) {
    const OutputEpilogue& epilogue = params.epilogue;
    const int first = column0 + static_cast<int>(threadIdx.x) % 4 * 2;
    const auto* residual = static_cast<const Out*>(epilogue.residual);
    const float residual_scale = residual ? __ldg(epilogue.residual_scale) : 0.f;
#pragma unroll
    for (int group = 0; group < TileN / kGroup; ++group) {
      TradedPairs<OutputElement<E>> added[2];
      if (residual)
#pragma unroll
        for (int half = 0; half < 2; ++half)
          added[half].load(residual + row[half] * params.n, params.n, inside[half],
                           column0 + group * kGroup);
#pragma unroll
      for (int i = 0; i < kGroup / 8; ++i) {
        const int column = first + group * kGroup + i * 8;
        if (column >= params.n) continue;
        const auto pair = [&](const float* of_columns) {
          return __ldg(reinterpret_cast<const float2*>(of_columns + column));
        };
        const float2 scale = pair(epilogue.scale);
        const float2 bias = epilogue.bias ? pair(epilogue.bias) : float2{};
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          float2 addend = bias;
          if (residual) {
            const float2 of_row = added[half].pair(i);
            addend = {fmaf(residual_scale, of_row.x, bias.x),
                      fmaf(residual_scale, of_row.y, bias.y)};
          }
          Sum* sums = accumulators + (group * kGroup / 8 + i) * 4 + half * 2;
          put(fmaf(scale.x, static_cast<float>(sums[0]), addend.x), sums[0]);
          put(fmaf(scale.y, static_cast<float>(sums[1]), addend.y), sums[1]);
        }
      }
    }
    activate(epilogue, 0, accumulators);
    activate(epilogue, 1, accumulators);
  }

  /// Sums that are scaled as a row of bytes.
  static __device__ void write_bytes(const GatherGemmParams& params, int64_t row, bool inside,
                                     int column0, int half, const Sum (&accumulators)[TileN / 2]) {
    auto* out = static_cast<Out*>(params.out) + row * params.n;
#pragma unroll
    for (int group = 0; group < TileN / kGroup; ++group) {
      uint32_t own[4];  // two pairs, 8 columns apart
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const Sum* sums = accumulators + (group * kGroup / 8 + 2 * j) * 4 + half * 2;
        own[j] = low_halves(pair_of_bytes(sums), pair_of_bytes(sums + 4));
      }
      const uint4 words = traded_words(make_uint4(own[0], own[1], own[2], own[3]));
      const int at = column0 + group * kGroup + lane_of_row() * 16;
      if (inside && at < params.n)
        *reinterpret_cast<uint4*>(out + at) = {
            low_halves(words.x, words.y), low_halves(words.z, words.w),
            high_halves(words.x, words.y), high_halves(words.z, words.w)};
    }
  }

  /// Four lanes hold a row's columns in pairs; they trade until each stores 16 bytes.
  static __device__ void write_row(const GatherGemmParams& params, int64_t row, bool inside,
                                   int column0, int half, const float (&accumulators)[TileN / 2]) {
    auto* out = static_cast<uint16_t*>(params.out) + row * params.n;
#pragma unroll
    for (int group = 0; group < TileN / 32; ++group) {
      uint32_t own[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int at = (group * 4 + j) * 4 + half * 2;
        own[j] = gpu::sm80::packed_halves<OutputElement<E>::dtype == Dtype::bf16>(
            accumulators[at], accumulators[at + 1]);
      }
      const uint4 words = traded_words(make_uint4(own[0], own[1], own[2], own[3]));
      const int at = column0 + group * 32 + lane_of_row() * 8;
      if (inside && at < params.n) *reinterpret_cast<uint4*>(out + at) = words;
    }
  }

  /// Adds a row of sums to them.
  static __device__ void add_sums_of(const Sum* from, int columns, bool inside, int column0,
                                     int half, Sum (&accumulators)[TileN / 2]) {
#pragma unroll
    for (int i = 0; i < TileN / 8; i += 2) {
      Sum *low = accumulators + i * 4 + half * 2, *high = low + 4;
      const auto four = load_traded<FourSums>(from, columns, inside, column0 + i * 8);
      low[0] += four.x;
      low[1] += four.y;
      high[0] += four.z;
      high[1] += four.w;
    }
  }

 private:
  static constexpr int kGroup = kTradedBytes;

  static __device__ void put(float value, Sum& sum) {
    if constexpr (gpu::is_integer<E>)
      sum = __float_as_int(value);
    else
      sum = value;
  }
  /// Two neighbors in a word's low half.
  static __device__ uint32_t pair_of_bytes(const Sum* sums) {
    if constexpr (gpu::is_integer<E>)
      return __byte_perm(byte_in_word(__int_as_float(sums[0])),
                         byte_in_word(__int_as_float(sums[1])), 0x0040);
    else
      return gpu::sm90::packed_e4m3(sums[0], sums[1]);
  }
  /// Rounded to nearest even and saturated, in the word's low byte: by additions, of which a
  /// multiprocessor makes twice as many at a time as conversions. No sum of finite scales is NaN.
  static __device__ uint32_t byte_in_word(float value) {
    constexpr float kMagic = 0x1.8p23f;  // leaves no room for smaller bits
    return __float_as_uint(fminf(fmaxf(value, -128.f), 127.f) + kMagic);
  }
  /// Two neighbors, which rows of whole chunks align.
  static __device__ float2 load_pair(const Out* from) {
    struct alignas(2 * sizeof(Out)) Pair {
      Out at[2];
    };
    const Pair pair = *reinterpret_cast<const Pair*>(from);
    return {OutputElement<E>::load(pair.at[0]), OutputElement<E>::load(pair.at[1])};
  }
};

}  // namespace spb::plans
