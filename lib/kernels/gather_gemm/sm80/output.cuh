// SPDX-License-Identifier: Apache-2.0
// The end of the asynchronous kernel: sums become rows of the output, or of a slice.
#pragma once

#include <type_traits>

#include "gpu/element.cuh"
#include "gpu/mma/mma_sm80.cuh"
#include "gpu/warp.cuh"
#include "kernels/common/epilogue.cuh"
#include "kernels/gather_gemm/params.h"
#include "kernels/gather_gemm/sm80/places.h"

namespace spb::plans {

/// Accumulators begin with the bias where nothing adds it later: a scale comes before it.
template <class E, class Mma>
__device__ void begin_accumulators(typename Mma::Accumulators& accumulators,
                                   const GatherGemmParams& params, const float* bias, int column0,
                                   int thread) {
  const int first = column0 + Mma::warp_column(thread) + thread % 4 * 2;
#pragma unroll
  for (int j = 0; j < Mma::kTilesN; ++j)
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int column = first + 8 * j + r;
      typename Mma::Sum begin{};
      if constexpr (!gpu::is_scaled<E>)
        if (bias && column < params.n) begin = bias[column];
#pragma unroll
      for (int i = 0; i < Mma::kTilesM; ++i)
        accumulators.sum[i][j][r] = accumulators.sum[i][j][r + 2] = begin;
    }
}

/// Sums as they are, where an element of outputs stands.
template <class Mma>
struct SumsOf {
  using Storage = typename Mma::Sum;
  __device__ static Storage store(Storage sum) { return sum; }
};

/// Writes a warp's sums by way of shared memory, 16 rows at a time, so that a row goes out in whole
/// chunks of 16 bytes. E::store rounds. Adds: to what is there, of fp32 rows that no other tile
/// has.
template <class E, class Mma, bool Adds = false>
class RowWriter {
  using Out = typename E::Storage;
  static constexpr int kPerChunk = 16 / static_cast<int>(sizeof(Out));
  using Slab = RowSlab<Mma::kWarpN, sizeof(Out)>;
  static constexpr int kChunks = Slab::kChunks;

 public:
  static constexpr int kSharedBytes = Mma::kThreads / 32 * Slab::kBytes;

  /// Stores the sums of 16 positions, the warp's i-th, in its slab.
  static __device__ void put(const typename Mma::Accumulators& accumulators, int i,
                             unsigned char* slab, int lane) {
#pragma unroll
    for (int j = 0; j < Mma::kTilesN; ++j)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const Out pair[2] = {E::store(accumulators.sum[i][j][half * 2]),
                             E::store(accumulators.sum[i][j][half * 2 + 1])};
        using Word = std::conditional_t<sizeof(Out) == 2, uint32_t, uint64_t>;
        Word word;
        memcpy(&word, pair, sizeof word);
        *reinterpret_cast<Word*>(Slab::pair(slab, lane, j, half)) = word;
      }
  }

  static __device__ void write(const typename Mma::Accumulators& accumulators,
                               const GatherGemmParams& params, const int32_t* order, Out* out,
                               int out_pitch, int64_t tile, int column0, int thread,
                               unsigned char* shared) {
    const int lane = thread % 32;
    const int64_t first = tile * Mma::kTileM + Mma::warp_row(thread);
    const int columns = params.n - column0 - Mma::warp_column(thread);
    out += column0 + Mma::warp_column(thread);
    const bool wide = params.n % kPerChunk == 0 && reinterpret_cast<uintptr_t>(out) % 16 == 0;
    unsigned char* slab = shared + thread / 32 * Slab::kBytes;
    int rows[Mma::kTilesM];  // of position lane % 16 of each 16
#pragma unroll
    for (int i = 0; i < Mma::kTilesM; ++i) {
      const int64_t position = first + i * 16 + lane % 16;
      rows[i] = position >= params.rows ? -1 : order ? order[position] : static_cast<int>(position);
    }
#pragma unroll
    for (int i = 0; i < Mma::kTilesM; ++i) {
      [[maybe_unused]] float4 there[Adds ? kTurns : 1];
      if constexpr (Adds)
        if (wide) read_chunks(there, out, rows[i], out_pitch, columns, lane);
      gpu::sync_warp();
      put(accumulators, i, slab, lane);
      gpu::sync_warp();
#pragma unroll
      for (int at = 0; at < 16 * kChunks; at += 32) {
        const int slab_row = (at + lane) / kChunks, chunk = (at + lane) % kChunks;
        const int row = gpu::shuffle(rows[i], slab_row);
        if (row < 0) continue;
        const auto* from = reinterpret_cast<const Out*>(Slab::chunk(slab, slab_row, chunk));
        Out* to = out + int64_t{row} * out_pitch + chunk * kPerChunk;
        const int left = columns - chunk * kPerChunk;
        if (wide && left >= kPerChunk) {
          if constexpr (Adds)
            add_chunk(*reinterpret_cast<const float4*>(from), there[at / 32], to);
          else
            *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(from);
        } else {
#pragma unroll
          for (int c = 0; c < kPerChunk; ++c)
            if (c < left) to[c] = Adds ? to[c] + from[c] : from[c];
        }
      }
    }
  }

 private:
  static constexpr int kTurns = 16 * kChunks / 32;  // of a warp, a chunk to each lane

  /// Whole chunks of 16 positions: all of them before the first is written, so that they do not
  /// wait for one another.
  static __device__ void read_chunks(float4 (&there)[Adds ? kTurns : 1], const Out* out, int row,
                                     int row_pitch, int columns, int lane) {
#pragma unroll
    for (int turn = 0; turn < kTurns; ++turn) {
      const int slab_row = (turn * 32 + lane) / kChunks, chunk = (turn * 32 + lane) % kChunks;
      const int64_t from = gpu::shuffle(row, slab_row);
      if (from >= 0 && columns - chunk * kPerChunk >= kPerChunk)
        there[turn] = *reinterpret_cast<const float4*>(out + from * row_pitch + chunk * kPerChunk);
    }
  }
  static __device__ void add_chunk(const float4& added, const float4& there, Out* to) {
    *reinterpret_cast<float4*>(to) = {there.x + added.x, there.y + added.y, there.z + added.z,
                                      there.w + added.w};
  }
};

/// The same behind an epilogue: fp32 sums, which began with the bias, go by way of shared memory,
/// and lanes side by side finish four each. In registers it would take some from the multiply.
template <class E, class Mma>
class RowFinisher {
  using Out = typename E::Storage;
  using Sums = RowWriter<SumsOf<Mma>, Mma>;
  using Slab = RowSlab<Mma::kWarpN, sizeof(float)>;
  static constexpr int kChunks = Slab::kChunks, kFour = 4;
  struct alignas(kFour * sizeof(Out)) Four {
    Out at[kFour];
  };

 public:
  static constexpr int kSharedBytes = Sums::kSharedBytes;

  static __device__ void write(const typename Mma::Accumulators& accumulators,
                               const GatherGemmParams& params, const OutputEpilogue& epilogue,
                               const int32_t* order, Out* out, int out_pitch, int64_t tile,
                               int column0, int thread, unsigned char* shared) {
    const int lane = thread % 32, first_column = column0 + Mma::warp_column(thread);
    const auto* residual = static_cast<const Out*>(epilogue.residual);
    const bool wide = params.n % kFour == 0 && is_aligned(out + first_column) &&
                      (!residual || is_aligned(residual + first_column));
    unsigned char* slab = shared + thread / 32 * Slab::kBytes;
#pragma unroll
    for (int i = 0; i < Mma::kTilesM; ++i) {
      const int64_t position = tile * Mma::kTileM + Mma::warp_row(thread) + i * 16 + lane % 16;
      const int row_of_lane = position >= params.rows ? -1
                              : order                 ? order[position]
                                                      : static_cast<int>(position);
      gpu::sync_warp();
      Sums::put(accumulators, i, slab, lane);
      gpu::sync_warp();
#pragma unroll 1
      for (int at = 0; at < 16 * kChunks; at += 32) {
        const int slab_row = (at + lane) / kChunks, chunk = (at + lane) % kChunks;
        const int row = gpu::shuffle(row_of_lane, slab_row);
        const int left = params.n - first_column - chunk * kFour;
        if (row < 0 || left <= 0) continue;
        const int64_t to = int64_t{row} * out_pitch + first_column + chunk * kFour;
        const auto* sums = reinterpret_cast<const float*>(Slab::chunk(slab, slab_row, chunk));
        finish_four(sums, epilogue, residual ? residual + to : nullptr, out + to,
                    wide && left >= kFour, left);
      }
    }
  }

 private:
  static __device__ bool is_aligned(const Out* at) {
    return reinterpret_cast<uintptr_t>(at) % sizeof(Four) == 0;
  }

  static __device__ void finish_four(const float* sums, const OutputEpilogue& epilogue,
                                     const Out* residual, Out* out, bool whole, int left) {
    float own[kFour];
    Four four{};
    if (residual && whole) four = *reinterpret_cast<const Four*>(residual);
#pragma unroll
    for (int c = 0; c < kFour; ++c) {
      if (residual && !whole && c < left) four.at[c] = residual[c];
      own[c] = residual ? sums[c] + OutputElement<E>::load(four.at[c]) : sums[c];
    }
    with_activation(epilogue, [&](auto activate) {
#pragma unroll
      for (int c = 0; c < kFour; ++c) own[c] = activate(own[c]);
    });
#pragma unroll
    for (int c = 0; c < kFour; ++c) four.at[c] = E::store(own[c]);
    if (whole) {
      *reinterpret_cast<Four*>(out) = four;
      return;
    }
#pragma unroll
    for (int c = 0; c < kFour; ++c)
      if (c < left) out[c] = four.at[c];
  }
};

}  // namespace spb::plans
