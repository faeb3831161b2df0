// SPDX-License-Identifier: Apache-2.0
// The end of the asynchronous kernel of bytes: sums in units of the output.
#pragma once

#include "gpu/element.cuh"
#include "gpu/warp.cuh"
#include "kernels/common/epilogue.cuh"
#include "kernels/gather_gemm/params.h"
#include "kernels/gather_gemm/sm80/output.cuh"
#include "kernels/gather_gemm/sm80/places.h"

namespace spb::plans {

/// Sums that are scaled as outputs (docs/algorithms.md, section 6), by way of shared memory as
/// well. A lane has the same four columns of all its rows. c_out is a multiple of four, and rows of
/// `out` and of the residual begin where four elements do.
template <class E, class Mma>
class RowRequantizer {
  using Out = typename E::Out;
  using Sums = RowWriter<SumsOf<Mma>, Mma>;
  using Slab = RowSlab<Mma::kWarpN, sizeof(typename Mma::Sum)>;
  static constexpr int kChunks = Slab::kChunks, kFour = 4, kTurns = 16 * kChunks / 32;
  static_assert(32 % kChunks == 0);
  struct alignas(kFour * sizeof(Out)) Four {
    Out at[kFour];
  };
  struct alignas(16) FourSums {
    typename Mma::Sum at[kFour];
  };

 public:
  static constexpr int kSharedBytes = Sums::kSharedBytes;

  static __device__ void write(const typename Mma::Accumulators& accumulators,
                               const GatherGemmParams& params, const OutputEpilogue& epilogue,
                               const int32_t* order, Out* out, int out_pitch, int64_t tile,
                               int column0, int thread, unsigned char* shared) {
    const int lane = thread % 32, chunk = lane % kChunks;
    const int column = column0 + Mma::warp_column(thread) + chunk * kFour;
    const bool inside = column < params.n;
    const auto* residual = static_cast<const Out*>(epilogue.residual);
    const float residual_scale = residual ? *epilogue.residual_scale : 0.f;
    float scale[kFour], bias[kFour];
#pragma unroll
    for (int c = 0; c < kFour; ++c) {
      scale[c] = inside ? epilogue.scale[column + c] : 0.f;
      bias[c] = inside && epilogue.bias ? epilogue.bias[column + c] : 0.f;
    }
    unsigned char* slab = shared + thread / 32 * Slab::kBytes;
#pragma unroll
    for (int i = 0; i < Mma::kTilesM; ++i) {
      const int64_t position = tile * Mma::kTileM + Mma::warp_row(thread) + i * 16 + lane % 16;
      const int row_of_lane = position >= params.rows ? -1
                              : order                 ? order[position]
                                                      : static_cast<int>(position);
      int64_t to[kTurns];  // -1: nowhere
      Four residuals[kTurns];
#pragma unroll
      for (int turn = 0; turn < kTurns; ++turn) {
        const int row = gpu::shuffle(row_of_lane, (turn * 32 + lane) / kChunks);
        to[turn] = inside && row >= 0 ? int64_t{row} * out_pitch + column : -1;
        if (residual && to[turn] >= 0)
          residuals[turn] = *reinterpret_cast<const Four*>(residual + to[turn]);
      }
      gpu::sync_warp();
      Sums::put(accumulators, i, slab, lane);
      gpu::sync_warp();
#pragma unroll
      for (int turn = 0; turn < kTurns; ++turn) {
        if (to[turn] < 0) continue;
        const FourSums sums = *reinterpret_cast<const FourSums*>(
            Slab::chunk(slab, (turn * 32 + lane) / kChunks, chunk));
        float own[kFour];
#pragma unroll
        for (int c = 0; c < kFour; ++c) {
          const float addend =
              residual
                  ? fmaf(residual_scale,
                         static_cast<float>(OutputElement<E>::load(residuals[turn].at[c])), bias[c])
                  : bias[c];
          own[c] = fmaf(scale[c], static_cast<float>(sums.at[c]), addend);
        }
        Four four;
        with_activation(epilogue, [&](auto activate) {
#pragma unroll
          for (int c = 0; c < kFour; ++c) four.at[c] = E::store(activate(own[c]));
        });
        *reinterpret_cast<Four*>(out + to[turn]) = four;
      }
    }
  }
};

}  // namespace spb::plans
