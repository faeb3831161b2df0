// SPDX-License-Identifier: Apache-2.0
// How a consumer warp's sums come to the gradient as whole lines. CUDA only.
#pragma once

#include "gpu/mma/sm90.cuh"
#include "kernels/wgrad/output.cuh"
#include "kernels/wgrad/wgmma/slab.h"

namespace spb::plans {

/// Of 16 rows by Columns 16-bit elements; sums lie as gpu::sm90::Multiply leaves them. Through
/// shared memory of the warp: a third of the instructions that trading by shuffles takes, and
/// pieces of few steps consist of this.
template <class E, int Columns>
struct WgmmaGradientOutput {
  static constexpr int kRows = WgmmaSlab::kRows, kColumnsAtATime = WgmmaSlab::kColumns;
  static constexpr int kWarpBytes = WgmmaSlab::kBytes;
  static_assert(sizeof(typename E::Storage) == 2 && Columns % kColumnsAtATime == 0);

  /// `row`, `column`: the warp's first in the tile, which takes_vectors(). `shared`: kWarpBytes at
  /// a multiple of 16. All lanes of the warp call it.
  static __device__ void write(const GradientTile& tile, int row, int column, uint32_t shared,
                               const float (&accumulators)[Columns / 2]) {
    using namespace gpu;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const uint32_t to = WgmmaSlab::to(shared, lane), from = WgmmaSlab::from(shared, lane);
    row += lane / 8;
    column += lane % 8 * 8;
    auto* first =
        static_cast<typename E::Storage*>(tile.first) + int64_t{row} * tile.row_pitch + column;
#pragma unroll
    for (int c = 0; c < Columns; c += kColumnsAtATime) {
      __syncwarp();
#pragma unroll
      for (int block = c / 8; block < (c + kColumnsAtATime) / 8; block += 2) {
        uint32_t words[4];
#pragma unroll
        for (int w = 0; w < 4; ++w)
          words[w] = sm80::packed_halves<E::dtype == Dtype::bf16>(
              accumulators[block * 4 + 2 * w], accumulators[block * 4 + 2 * w + 1]);
        sm90::store_matrices(to + (block * 8 - c) * 2, words);
      }
      __syncwarp();
#pragma unroll
      for (int i = 0; i < kRows; i += 4) {
        uint32_t words[4];
        sm80::load_shared_16(words, from + i * WgmmaSlab::kPitchBytes);
        if (row + i < tile.rows && column + c < tile.columns)
          *reinterpret_cast<uint4*>(first + i * tile.row_pitch + c) = {words[0], words[1], words[2],
                                                                       words[3]};
      }
    }
  }
};

}  // namespace spb::plans
