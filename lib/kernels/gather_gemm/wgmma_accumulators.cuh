// SPDX-License-Identifier: Apache-2.0
// What becomes of a warpgroup's sums in registers: an epilogue, rows of 16-bit elements. CUDA only.
#pragma once

#include "gpu/element.cuh"
#include "gpu/mma/sm90.cuh"
#include "kernels/common/epilogue.cuh"
#include "kernels/gather_gemm/params.h"

namespace spb::plans {

/// Accumulators of 64 rows and TileN columns from `column0` on, as gpu::sm90::Multiply leaves them:
/// of the thread's two rows, `half` 0 and 1, which the four lanes of a row share.
template <class E, int TileN>
struct WgmmaAccumulators {
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
      const auto* residual =
          static_cast<const typename E::Storage*>(epilogue.residual) + row * params.n;
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
                                  float (&accumulators)[TileN / 2]) {
    with_activation(epilogue, [&](auto activate) {
#pragma unroll
      for (int i = 0; i < TileN / 8; ++i)
#pragma unroll
        for (int r = 0; r < 2; ++r) {
          float& sum = accumulators[4 * i + half * 2 + r];
          sum = activate(sum);
        }
    });
  }

  /// Four lanes hold a row's columns in pairs; they trade until each stores 16 bytes.
  static __device__ void write_row(const GatherGemmParams& params, int64_t row, bool inside,
                                   int column0, int half, const float (&accumulators)[TileN / 2]) {
    const int lane = static_cast<int>(threadIdx.x) % 4;
    const bool odd = lane & 1, high = lane & 2;
    auto* out = static_cast<uint16_t*>(params.out) + row * params.n;
#pragma unroll
    for (int group = 0; group < TileN / 32; ++group) {
      uint32_t own[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int at = (group * 4 + j) * 4 + half * 2;
        own[j] = gpu::sm80::packed_halves<E::dtype == Dtype::bf16>(accumulators[at],
                                                                   accumulators[at + 1]);
      }
      const uint32_t from0 = __shfl_xor_sync(~0u, odd ? own[0] : own[1], 1);
      const uint32_t from1 = __shfl_xor_sync(~0u, odd ? own[2] : own[3], 1);
      const uint32_t a0 = odd ? from0 : own[0], a1 = odd ? own[1] : from0;
      const uint32_t a2 = odd ? from1 : own[2], a3 = odd ? own[3] : from1;
      const uint32_t b0 = __shfl_xor_sync(~0u, high ? a0 : a2, 2);
      const uint32_t b1 = __shfl_xor_sync(~0u, high ? a1 : a3, 2);
      const uint4 words = high ? make_uint4(b0, b1, a2, a3) : make_uint4(a0, a1, b0, b1);
      const int at = column0 + group * 32 + lane * 8;
      if (inside && at < params.n) *reinterpret_cast<uint4*>(out + at) = words;
    }
  }

 private:
  /// Two neighbors, which rows of whole chunks align.
  static __device__ float2 load_pair(const typename E::Storage* from) {
    struct alignas(2 * sizeof(typename E::Storage)) Pair {
      typename E::Storage at[2];
    };
    const Pair pair = *reinterpret_cast<const Pair*>(from);
    return {OutputElement<E>::load(pair.at[0]), OutputElement<E>::load(pair.at[1])};
  }
};

}  // namespace spb::plans
