// SPDX-License-Identifier: Apache-2.0
// The tile multiply of scalar fused or separate multiply-adds: runs everywhere, always right.
#pragma once

#include "gpu/qualifiers.h"
#include "gpu/runtime.h"

namespace spb::gpu {

/// TileM x TileN of sums kept by a block of kThreads threads, each owning a kRows x kColumns
/// rectangle. Operands stand in a Stage of shared memory as Sum, which products are added in, in
/// order of k: fp32, or int32.
///
/// Every tile multiply has these members; architectures differ in what a Stage holds, in
/// kDepthStep (the depth is filled with zeros up to a multiple of it) and in who owns which sum.
template <int TileM, int TileN, int TileK, int Rows, int Columns, class Sum = float>
struct MmaFma {
  static constexpr int kTileM = TileM, kTileN = TileN, kTileK = TileK;
  static constexpr int kRows = Rows, kColumns = Columns;
  static constexpr int kThreads = (TileM / Rows) * (TileN / Columns);
  static constexpr int kDepthStep = 1;
  static_assert(TileM % Rows == 0 && TileN % Columns == 0);

  struct Stage {
    Sum a[TileM][TileK + 1];  // one more, so that a column's rows lie in different banks
    Sum b[TileK][TileN];

    __device__ void set_a(int m, int k, Sum value) { a[m][k] = value; }
    __device__ void set_b(int k, int n, Sum value) { b[k][n] = value; }
  };

  /// sum[i][j] belongs to row(thread, i) and column(thread, j) of the tile.
  struct Accumulators {
    Sum sum[Rows][Columns];
  };
  static constexpr int row(int thread, int i) { return thread / (TileN / Columns) * Rows + i; }
  static constexpr int column(int thread, int j) {
    return thread % (TileN / Columns) * Columns + j;
  }

  static __device__ void clear(Accumulators& accumulators) {
    GPU_UNROLL
    for (int i = 0; i < Rows; ++i) {
      GPU_UNROLL
      for (int j = 0; j < Columns; ++j) accumulators.sum[i][j] = 0;
    }
  }

  /// sums += A[:, 0..depth) * B[0..depth, :].
  static __device__ void multiply(Accumulators& accumulators, const Stage& stage, int thread,
                                  int depth) {
    const int first_row = row(thread, 0), first_column = column(thread, 0);
    // A local copy: the compiler then knows that nothing aliases it and keeps it in registers.
    Accumulators local = accumulators;
    for (int k = 0; k < depth; ++k) {
      // An empty statement that no compiler moves: it keeps g++ from vectorizing over k, which
      // would transpose the operands and run at a tenth of the speed of vectors over columns.
      asm volatile("");
      Sum b[Columns];
      GPU_UNROLL
      for (int j = 0; j < Columns; ++j) b[j] = stage.b[k][first_column + j];
      GPU_UNROLL
      for (int i = 0; i < Rows; ++i) {
        const Sum a = stage.a[first_row + i][k];
        GPU_UNROLL
        for (int j = 0; j < Columns; ++j) local.sum[i][j] += a * b[j];
      }
    }
    accumulators = local;
  }
};

}  // namespace spb::gpu
