// SPDX-License-Identifier: Apache-2.0
// The portable tile of wgrad: output channels by input channels of one offset, summed over pairs.
//
// gw[M, N] = sum over K pairs of gout[K, M] * in[K, N], in fp32 multiply-adds.
//
// grid    x = blocks of the schedule, which each walk their pieces
// tile    M = N = 32 | 64 channels, K = 32 pairs
// threads 32 | 64: one, or two together, load a pair's channels; each owns 4 x 8 | 8 x 8 sums
// barrier one a step: the stage is filled; two stages, so that none is needed after its use
// shared  2 x (A [M][K + 1], B [K][N]) floats; of A a pad, so that rows lie in different banks
#pragma once

#include "gpu/mma/mma_fma.cuh"
#include "kernels/wgrad/output.cuh"

namespace spb::plans {

struct PairRows {
  int64_t in, out;  // in < 0: absent
};

/// Pair `at` of an offset.
__device__ inline PairRows pair_rows(const WgradParams& params, int offset, int64_t at) {
  if (!params.offset_begin) return {params.map[at * params.kernel_volume + offset], at};
  at += params.offset_begin[offset];
  return {params.in_index[at], params.out_index[at]};
}

/// Channels [c0, c0 + count) of `row` as set(0), set(1), ...; zeros past the row's end and for an
/// absent (null) row.
template <class E, class Set>
__device__ void load_channels(const typename E::Storage* row, int c0, int channels, int count,
                              Set set) {
  const int left = channels - c0;
  const int present = !row || left < 0 ? 0 : left < count ? left : count;
  for (int i = 0; i < present; ++i) set(i, E::load(row[c0 + i]));
  for (int i = present; i < count; ++i) set(i, 0.f);
}

/// MmaFma with its sums in groups: one per row.
template <int TileM, int TileN, int TileK, int Rows, int Columns>
struct FmaTile : gpu::MmaFma<TileM, TileN, TileK, Rows, Columns> {
  using Mma = gpu::MmaFma<TileM, TileN, TileK, Rows, Columns>;
  static constexpr int kGroups = Rows, kGroupSize = Columns;

  template <class E>
  static __device__ void write(const GradientTile& tile, int group,
                               const float (&accumulators)[Columns], int thread) {
    const int row = Mma::row(thread, group), column = Mma::column(thread, 0);
    if (row >= tile.rows) return;
    auto* to = static_cast<typename E::Storage*>(tile.first) + row * tile.row_pitch + column;
    GPU_UNROLL
    for (int j = 0; j < Columns; ++j)
      if (column + j < tile.columns) to[j] = E::store(accumulators[j]);
  }
};

/// Grid: x = blocks of the schedule.
template <class E, class Tile>
GPU_KERNEL void __launch_bounds__(Tile::kThreads) wgrad_kernel(const WgradParams params) {
  constexpr int kParts = Tile::kThreads / Tile::kTileK;  // threads that share one pair's channels
  static_assert(Tile::kThreads % Tile::kTileK == 0);
  constexpr int kPartM = Tile::kTileM / kParts, kPartN = Tile::kTileN / kParts;
  using Storage = typename E::Storage;
  __shared__ typename Tile::Stage stages[2];
  const int thread = static_cast<int>(threadIdx.x);
  const int k = thread % Tile::kTileK, part = thread / Tile::kTileK;
  const int m0 = part * kPartM, n0 = part * kPartN;
  const int tiles_n = (params.c_in + Tile::kTileN - 1) / Tile::kTileN;

  int turn = 0;
  for (int p = params.block_pieces[blockIdx.x]; p < params.block_pieces[blockIdx.x + 1]; ++p) {
    const WgradPiece piece = params.pieces[p];
    const int co0 = piece.tile / tiles_n * Tile::kTileM, ci0 = piece.tile % tiles_n * Tile::kTileN;
    const Storage* first_in =
        static_cast<const Storage*>(params.in) + int64_t{piece.group} * params.c_in;
    const Storage* first_gout =
        static_cast<const Storage*>(params.gout) + int64_t{piece.group} * params.c_out;
    typename Tile::Accumulators accumulators;
    Tile::clear(accumulators);
    PairWalk walk = PairWalk::over(piece);
    for (int step = 0; step < piece.steps; ++step, walk.next(Tile::kTileK)) {
      const uint32_t left = walk.end - walk.at;
      const int depth = left < Tile::kTileK ? static_cast<int>(left) : Tile::kTileK;
      const int filled = (depth + Tile::kDepthStep - 1) / Tile::kDepthStep * Tile::kDepthStep;
      typename Tile::Stage& stage = stages[turn];
      turn ^= 1;
      if (k < filled) {
        const PairRows pair =
            k < depth ? pair_rows(params, piece.offset, int64_t{walk.at} + k) : PairRows{-1, -1};
        const Storage* in = nullptr;
        const Storage* gout = nullptr;
        if (pair.in >= 0) {
          in = first_in + pair.in * params.in_pitch;
          gout = first_gout + pair.out * params.gout_pitch;
        }
        load_channels<E>(gout, co0 + m0, params.c_out, kPartM,
                         [&](int m, float value) { stage.set_a(m0 + m, k, value); });
        load_channels<E>(in, ci0 + n0, params.c_in, kPartN,
                         [&](int n, float value) { stage.set_b(k, n0 + n, value); });
      }
      gpu::sync_threads();
      Tile::multiply(accumulators, stage, thread, filled);
    }
    const GradientTile tile =
        gradient_tile<E>(params, piece.group, piece.offset, piece.tile, Tile::kTileM, Tile::kTileN);
    GPU_UNROLL
    for (int g = 0; g < Tile::kGroups; ++g)
      write_group<E, Tile>(params, tile, piece.slice, g, accumulators.sum[g], thread);
  }
}

}  // namespace spb::plans
