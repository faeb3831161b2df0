// SPDX-License-Identifier: Apache-2.0
// A dense product through shared memory tiles, where no library of the vendor makes it.
#pragma once

#include "gpu/block_size.h"
#include "gpu/element.cuh"
#include "gpu/gemm.h"
#include "gpu/launch.cuh"

namespace spb::gpu {

inline constexpr int kGemmTile = 64;   // rows and columns of C per block
inline constexpr int kGemmDepth = 16;  // k per step
inline constexpr int kGemmThreads = 256;
inline constexpr int kGemmOwn = 4;  // rows and columns of C per thread, 16 apart

template <class E>
__device__ typename E::Sum gemm_operand(const GemmOperand& operand, int64_t row, int64_t column) {
  const auto* data = static_cast<const typename E::Storage*>(operand.data);
  return E::load(operand.transposed ? data[column * operand.row_pitch + row]
                                    : data[row * operand.row_pitch + column]);
}

/// One block per tile of C, rows along x, since a grid's y is short; see gemm() for the arguments.
template <class E>
GPU_KERNEL void GPU_BLOCK_OF(kGemmThreads)
    gemm_kernel(int64_t m, int64_t n, int64_t k, GemmOperand a, GemmOperand b, typename E::Sum* c,
                int64_t c_row_pitch, bool accumulate) {
  using Sum = typename E::Sum;
  __shared__ Sum a_tile[kGemmDepth][kGemmTile + 1];
  __shared__ Sum b_tile[kGemmDepth][kGemmTile + 1];
  constexpr int kStep = kGemmTile / kGemmOwn;
  const int thread = static_cast<int>(threadIdx.x);
  const int own_row = thread / kStep, own_column = thread % kStep;
  const int64_t first_row = int64_t{blockIdx.x} * kGemmTile;
  const int64_t first_column = int64_t{blockIdx.y} * kGemmTile;
  Sum sum[kGemmOwn][kGemmOwn] = {};
  for (int64_t begin = 0; begin < k; begin += kGemmDepth) {
    for (int i = thread; i < kGemmTile * kGemmDepth; i += kGemmThreads) {
      // The tail of k is zero in both: zero times what lies beyond could be NaN.
      const int64_t row = first_row + i / kGemmDepth, a_k = begin + i % kGemmDepth;
      const int64_t column = first_column + i % kGemmTile, b_k = begin + i / kGemmTile;
      a_tile[i % kGemmDepth][i / kGemmDepth] =
          row < m && a_k < k ? gemm_operand<E>(a, row, a_k) : Sum(0);
      b_tile[i / kGemmTile][i % kGemmTile] =
          b_k < k && column < n ? gemm_operand<E>(b, b_k, column) : Sum(0);
    }
    sync_threads();
    for (int d = 0; d < kGemmDepth; ++d)
      for (int i = 0; i < kGemmOwn; ++i)
        for (int j = 0; j < kGemmOwn; ++j)
          sum[i][j] += a_tile[d][own_row + i * kStep] * b_tile[d][own_column + j * kStep];
    sync_threads();
  }
  for (int i = 0; i < kGemmOwn; ++i) {
    for (int j = 0; j < kGemmOwn; ++j) {
      const int64_t row = first_row + own_row + i * kStep;
      const int64_t column = first_column + own_column + j * kStep;
      if (row >= m || column >= n) continue;
      Sum& out = c[row * c_row_pitch + column];
      out = accumulate ? out + sum[i][j] : sum[i][j];
    }
  }
}

/// gemm() by this kernel.
inline void gemm_portable(Dtype dtype, int64_t m, int64_t n, int64_t k, const GemmOperand& a,
                          const GemmOperand& b, void* c, int64_t c_row_pitch, bool accumulate,
                          const Stream& stream) {
  const auto tiles = [](int64_t size) {
    return static_cast<unsigned>((size + kGemmTile - 1) / kGemmTile);
  };
  dispatch_product(dtype, [&]<class E>(E) {
    launch(gemm_kernel<E>, dim3(tiles(m), tiles(n)), dim3(kGemmThreads), 0, stream, m, n, k, a, b,
           static_cast<typename E::Sum*>(c), c_row_pitch, accumulate);
  });
}

}  // namespace spb::gpu
