// SPDX-License-Identifier: Apache-2.0
// The residual of a work tile whose sums become outputs: stages of the pipeline behind those of its
// offsets, each with 128 bytes of the tile's rows in the places of A and no weights. They come
// ahead of time, as gathered rows do: while consumers load by themselves, the tensor cores wait.
// CUDA only.
#pragma once

#include "gpu/element.cuh"
#include "gpu/mma/sm90.cuh"
#include "kernels/gather_gemm/params.h"
#include "kernels/gather_gemm/wgmma/places.h"
#include "kernels/pipeline.cuh"

namespace spb::plans {

template <class E, int TileN, class Pipeline>
struct WgmmaResidual {
  static constexpr bool kTf32 = gpu::is_tf32<E>;
  static constexpr int kElementBytes = sizeof(typename E::Storage), kRowBytes = 128;
  static constexpr int kColumns = kRowBytes / kElementBytes;  // of a stage
  static constexpr int kGroup = 128;
  using Reads = WgmmaResidualReads<kElementBytes>;

  /// Stages of the column tile that begins at `column0`.
  static __device__ int steps(const GatherGemmParams& params, int column0) {
    return (min(params.n - column0, TileN) + kColumns - 1) / kColumns;
  }

  /// Brings what the stages will copy of a producer's rows to L2: from memory it may take longer
  /// than the pipeline looks ahead, and consumers would wait.
  template <int Rows>
  static __device__ void fetch(const GatherGemmParams& params, int column0,
                               const int (&rows)[Rows]) {
    static_assert(TileN / kColumns <= 8);
    const int line = static_cast<int>(threadIdx.x) % 8;  // of the eight threads of a row
    if (line >= steps(params, column0)) return;
    const char* from = static_cast<const char*>(params.epilogue.residual) +
                       column0 * kElementBytes + line * kRowBytes;
    const auto pitch = static_cast<uint32_t>(params.n * kElementBytes);
#pragma unroll
    for (int j = 0; j < Rows; ++j)
      if (rows[j] >= 0)
        gpu::sm90::prefetch_to_l2(from + uint64_t{static_cast<uint32_t>(rows[j])} * pitch);
  }

  /// Adds the next steps() stages to a consumer's sums.
  static __device__ void add(const GatherGemmParams& params, int column0,
                             float (&accumulators)[TileN / 2], const Pipeline& pipeline,
                             typename Pipeline::PipelineState& at, int consumer) {
    const int thread = static_cast<int>(threadIdx.x) % kGroup;
    const uint32_t first = consumer * 64 * kRowBytes + Reads::first(thread);
    const int end = steps(params, column0);
#pragma unroll
    for (int step = 0; step < TileN / kColumns; ++step) {
      if (step >= end) continue;
      pipeline.wait_full(at);
      add_stage(pipeline.stage(at.stage) + first, thread, step, accumulators);
      // One thread gives the stage back for all, who have read by themselves.
      if constexpr (!kTf32) gpu::sm90::meet(1 + consumer, kGroup);
      pipeline.release(at.stage);
      at.advance();
    }
  }

 private:
  static __device__ void add_stage(uint32_t own, int thread, int step,
                                   float (&accumulators)[TileN / 2]) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float2 pairs[Reads::kGroups];
#pragma unroll
      for (int i = 0; i < Reads::kGroups; ++i) pairs[i] = load(Reads::pair(own, half, i));
#pragma unroll
      for (int i = 0; i < Reads::kGroups; ++i) {
        const float2 pair = Reads::trades(thread) ? pairs[i ^ Reads::kTraded] : pairs[i];
        float* sums = accumulators + (step * Reads::kGroups + i) * 4 + half * 2;
        sums[0] += pair.x;
        sums[1] += pair.y;
      }
    }
  }
  static __device__ float2 load(uint32_t from) {
    if constexpr (kTf32) {
      uint32_t words[2];
      gpu::sm80::load_shared_8(words, from);
      return {__uint_as_float(words[0]), __uint_as_float(words[1])};
    } else {
      const uint32_t word = gpu::sm80::load_shared_4(from);
      return {E::load(static_cast<uint16_t>(word)), E::load(static_cast<uint16_t>(word >> 16))};
    }
  }
};

}  // namespace spb::plans
