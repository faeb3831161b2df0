// SPDX-License-Identifier: Apache-2.0
// The tile of wgrad on AMD's matrix cores, and on the host by their twins. Compiled, never run on a
// card.
//
// gw[M, N] = sum over K pairs of gout[K, M] * in[K, N].
//
// grid    x = blocks of the schedule, which each walk their pieces
// tile    kMatrixWgradTiles in tiles.h
// step    registers -> stage, turned so that depth lies side by side; barrier; global -> registers
//         for the next step, while fragments are read and multiplied; barrier
// shared  one stage: a row of pairs for each channel of gout and, behind these, of in; swizzled
//         chunks of 16 bytes (kernels/matrix_cores/places.h)
//
// The instructions want pairs side by side, which neither gfx942 nor gfx11 can load so. gfx950's
// ds_read_b64_tr_b16 and gfx12's global_load_tr_b128 do (llvm/llvm-project, 125169 and 77772).
#pragma once

#include "gpu/launch.cuh"
#include "kernels/wgrad/matrix_cores/loader.cuh"
#include "kernels/wgrad/matrix_cores/tiles.h"
#include "kernels/wgrad/output.cuh"

namespace spb::plans {

/// A tile multiply of wgrad/output.cuh: a group is the sums of an instruction.
template <class Element, size_t Index, bool WideRows>
struct MatrixWgradParts {
  using E = Element;
  static constexpr MatrixTile kTile = kMatrixWgradTiles[Index];
  static constexpr MatrixPlaces kPlaces = places_of(kTile, E::dtype);
  static_assert(has_sound_blocks(kPlaces));
  using Atom = gpu::MatrixAtomOf<E, kTile.cores, kTile.atom_size>;
  static constexpr bool kWide = WideRows;
  static constexpr int kTilesM = kTile.warp_m / kTile.atom_size,
                       kTilesN = kTile.warp_n / kTile.atom_size;
  struct Accumulators {
    typename Atom::Sums sum[kTilesM][kTilesN];
  };

  static constexpr int kTileM = kPlaces.tile_m(), kTileN = kPlaces.tile_n(),
                       kThreads = kPlaces.threads();
  /// Wavefronts to a SIMD, which HIP counts in launch bounds: with 64 sums a lane clang 19 spills
  /// where there are two.
  static constexpr int kWavefronts = kTilesM * kTilesN * Atom::kSums > 32 ? 1 : 2;
  static constexpr int kGroups = kTilesM * kTilesN, kGroupSize = Atom::kSums;

  template <class Out>
  static __device__ void write(const GradientTile& tile, int group, const float (&sums)[kGroupSize],
                               int thread) {
    constexpr gpu::LaneTable kTable = Atom::kTable;
    const int lane = thread % kTable.lanes;
    const int first_row = kPlaces.warp_row(thread) + group / kTilesN * kTable.size;
    const int column =
        kPlaces.warp_column(thread) + group % kTilesN * kTable.size + kTable.line(lane);
    if (column >= tile.columns) return;
    auto* to = static_cast<typename Out::Storage*>(tile.first) + column;
    GPU_UNROLL
    for (int r = 0; r < kGroupSize; ++r)
      if (const int row = first_row + kTable.row(lane, r); row < tile.rows)
        to[row * tile.row_pitch] = Out::store(sums[r]);
  }
};

template <class Parts>
__device__ __forceinline__ void sum_matrix_piece(const WgradParams& params, const WgradPiece& piece,
                                                 MatrixChunk* stage, int thread) {
  const int tiles_n = (params.c_in + Parts::kTileN - 1) / Parts::kTileN;
  typename Parts::Accumulators accumulators;
  clear_sums<Parts>(accumulators);
  MatrixPairLoader<Parts> loader(params, piece, piece.tile / tiles_n * Parts::kTileM,
                                 piece.tile % tiles_n * Parts::kTileN, thread);
  loader.fetch();
  for (int step = 0; step < piece.steps; ++step) {
    loader.store(stage);
    gpu::sync_threads();
    if (step + 1 < piece.steps) loader.fetch();
    multiply_stage<Parts>(accumulators, stage, thread);
    gpu::sync_threads();
  }
  using E = typename Parts::E;
  const GradientTile tile =
      gradient_tile<E>(params, piece.group, piece.offset, piece.tile, Parts::kTileM, Parts::kTileN);
  GPU_UNROLL
  for (int i = 0; i < Parts::kTilesM; ++i) {
    GPU_UNROLL
    for (int j = 0; j < Parts::kTilesN; ++j) {
      float sums[Parts::kGroupSize];
      GPU_UNROLL
      for (int r = 0; r < Parts::kGroupSize; ++r) sums[r] = accumulators.sum[i][j][r];
      write_group<E, Parts>(params, tile, piece.slice, i * Parts::kTilesN + j, sums, thread);
    }
  }
}

template <class Parts>
GPU_KERNEL void __launch_bounds__(Parts::kThreads, Parts::kWavefronts)
    matrix_wgrad_kernel(const WgradParams params) {
  if constexpr (Parts::Atom::kPresent) {
    __shared__ MatrixChunk stage[Parts::kPlaces.stage_chunks()];
    const int end = params.block_pieces[blockIdx.x + 1];
    for (int p = params.block_pieces[blockIdx.x]; p < end; ++p)
      sum_matrix_piece<Parts>(params, params.pieces[p], stage, static_cast<int>(threadIdx.x));
  } else {
    __builtin_trap();
  }
}

}  // namespace spb::plans
