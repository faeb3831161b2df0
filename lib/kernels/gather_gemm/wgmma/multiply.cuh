// SPDX-License-Identifier: Apache-2.0
// What a consumer warpgroup does with stages of the pipeline: which instruction, of which operands.
// CUDA only.
#pragma once

#include "gpu/element.cuh"
#include "gpu/mma/sm90.cuh"
#include "gpu/mma/tf32_sm90.cuh"
#include "gpu/mma/tf32x3_sm80.cuh"
#include "kernels/gather_gemm/wgmma/places.h"
#include "kernels/gather_gemm/wgmma/tile_rows.cuh"
#include "kernels/pipeline.cuh"

namespace spb::plans {

/// Parameters and the layout of a stage are WgmmaRows' (kernel.cuh).
template <class E, bool Transposed, int TileN, int RowBytes, bool Promotes>
struct WgmmaMultiplies {
  using Sum = typename E::Sum;
  /// At a time: as many as leave registers, of two blocks on a multiprocessor too.
  static constexpr int kPromotedColumns = TileN == 256 ? 64 : RowBytes == 64 ? 32 : TileN;
  static constexpr int kSumsOfThread = TileN / 2 + (Promotes ? kPromotedColumns / 2 : 0);

  /// The warpgroup's (64, TileN) sums of the next `steps` steps.
  template <class Pipeline>
  static __device__ void sum(Sum (&accumulators)[TileN / 2], const Pipeline& pipeline,
                             typename Pipeline::PipelineState& at, int steps, int consumer) {
    if constexpr (gpu::is_tf32<E>) {
      const int lane = static_cast<int>(threadIdx.x) % 32;
      const int row = WgmmaTf32Reads::row(static_cast<int>(threadIdx.x) % kWgmmaGroup, lane);
      const uint32_t own = consumer * kOwnBytesA + row * RowBytes;
      constexpr int kWords = gpu::sm90::kTf32Words<E>;
      accumulate_stages_of_registers<kWords>(
          accumulators, pipeline, at, steps,
          [&](uint32_t stage, int k, uint32_t(&words)[kWords]) {
            auto& first = reinterpret_cast<uint32_t(&)[4]>(words);
            gpu::sm80::load_matrices(first, WgmmaTf32Reads::chunk(stage + own, row, lane, k));
            if constexpr (gpu::sm90::kTf32Parts<E> == 2)
              gpu::sm80::split(first, reinterpret_cast<uint32_t(&)[4]>(words[4]));
            else
              gpu::sm80::AtomTF32::convert(first);
          },
          [&](uint32_t stage, int k, const uint32_t(&words)[kWords]) {
            gpu::sm90::multiply_tf32<E, TileN>(accumulators, words, stage + kBytesA + k * 32,
                                               TileN * RowBytes);
          });
    } else if constexpr (Promotes) {
      const uint32_t own = consumer * kOwnBytesA;
      accumulate_promoted_stages<kPromotedColumns / 2>(
          accumulators, pipeline, at, steps,
          [&](uint32_t stage, int part, float(&sums)[kPromotedColumns / 2]) {
            const uint32_t a = stage + own;
            const uint32_t b = stage + kBytesA + part * kPromotedColumns * RowBytes;
            multiply_e4m3<kPromotedColumns, false>(sums, a, b);
#pragma unroll
            for (int k = 1; k < RowBytes / 32; ++k)
              multiply_e4m3<kPromotedColumns, true>(sums, a + k * 32, b + k * 32);
          });
    } else {
      accumulate_stages(accumulators, pipeline, at, steps, [&](uint32_t stage) {
        const uint32_t a = stage + consumer * kOwnBytesA, b = stage + kBytesA;
#pragma unroll
        for (int k = 0; k < RowBytes / 32; ++k) {
          const uint64_t rows = descriptor(a + k * 32);
          if constexpr (gpu::is_integer<E>)
            gpu::sm90::MultiplyI8<TileN>::step(accumulators, rows, descriptor(b + k * 32));
          else if constexpr (gpu::is_scaled<E>)
            multiply_e4m3<TileN, true>(accumulators, a + k * 32, b + k * 32);
          else
            gpu::sm90::Multiply<E::dtype == Dtype::bf16, TileN, 0, Transposed>::step(
                accumulators, rows,
                Transposed ? gpu::sm90::matrix_descriptor(b + k * 16 * RowBytes, kTileK * RowBytes)
                           : gpu::sm90::matrix_descriptor(b + k * 32));
        }
      });
    }
  }

 private:
  static constexpr int kTileK = RowBytes / sizeof(typename E::Storage);
  static constexpr int kBytesA = kWgmmaTileM * RowBytes, kOwnBytesA = kBytesA / kWgmmaConsumers;

  /// Both operands by their addresses.
  template <int Columns, bool Adds>
  static __device__ void multiply_e4m3(float (&sums)[Columns / 2], uint32_t a, uint32_t b) {
    gpu::sm90::MultiplyE4M3<Columns, Adds>::step(sums, descriptor(a), descriptor(b));
  }
  static __device__ uint64_t descriptor(uint32_t address) {
    return RowBytes == 64 ? gpu::sm90::narrow_matrix_descriptor(address)
                          : gpu::sm90::matrix_descriptor(address);
  }
};

}  // namespace spb::plans
