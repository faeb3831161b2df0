// SPDX-License-Identifier: Apache-2.0
// Where a consumer warpgroup's sums go: rows of the result, of a partial, or of one partial that
// segments add to, in order or atomically. CUDA only.
#pragma once

#include "gpu/element.cuh"
#include "gpu/mma/sm90.cuh"
#include "kernels/gather_gemm/wgmma/tile_rows.cuh"
#include "kernels/gather_gemm/wgmma/wgmma.h"
#include "kernels/gather_gemm/wgmma/work_tiles.cuh"
#include "kernels/gather_gemm/wgmma_accumulators.cuh"

namespace spb::plans {

/// Accumulators lie as gpu::sm90::Multiply leaves them; a consumer has 64 rows of the tile.
/// HasResidual: sums that are the result have theirs already (residual.cuh).
template <class E, int TileN, int RowBytes, bool HasResidual>
struct WgmmaRowOutput {
  using Accumulators = WgmmaAccumulators<E, TileN>;
  using Sum = typename E::Sum;
  using Out = typename E::Out;
  using FourSums = typename Accumulators::FourSums;
  static constexpr int kTileM = kWgmmaTileM, kConsumers = kWgmmaConsumers, kGroup = kWgmmaGroup;

  /// Rows of the result that the thread has sums of, -1: none. Asked for before the sums are made,
  /// so that their end does not wait for the answer.
  struct OwnRows {
    int32_t row[2] = {-1, -1};
    __device__ OwnRows(const GatherGemmParams& params, const WorkTile& work_tile, int consumer) {
      const int thread = static_cast<int>(threadIdx.x) % kGroup;
      const int shared_row = consumer * 64 + thread / 32 * 16 + thread % 32 / 4;
      const int32_t* order = order_of(params, work_tile);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int64_t position = int64_t{work_tile.tile} * kTileM +
                                 WgmmaTileRows<RowBytes>::position_of(shared_row + half * 8);
        if (position >= params.rows) continue;
        if (atomic(params) && !has_offset(params, work_tile, position)) continue;
        if (order)
          row[half] = __ldg(order + position);
        else
          row[half] = static_cast<int32_t>(position);
      }
    }
  };

  /// Whether the work tile's sums are the result, once it has added up.
  static __device__ bool is_complete(const GatherGemmParams& params, const WorkTile& work_tile) {
    return is_ordered(params) ? work_tile.segment() + 1 == params.segment_count : !params.partials;
  }

  /// Of a work tile of
  ///   a pass without partials   adds the bias, finishes, stores `out`
  ///   slices                    stores the slice's partial
  ///   atomic segments           red to the one partial
  ///   ordered segments, first   stores the one partial, zeros included; releases
  ///     in between              waits; red to it; releases
  ///     last                    waits; adds it to the sums, and the bias; finishes, stores `out`
  static __device__ void write(const GatherGemmParams& params, const WorkTile& work_tile,
                               const OwnRows& own, Sum (&accumulators)[TileN / 2]) {
    const int column0 = work_tile.column_tile() * TileN;
    const bool follows_segment = is_behind_segment(params, work_tile),
               is_out = is_complete(params, work_tile);
    const bool adds = follows_segment || atomic(params);
    if constexpr (gpu::is_scaled<E>) {
      if (is_out) return write_scaled(params, work_tile, own, column0, adds, accumulators);
    } else {
      if (params.epilogue.bias && is_out) Accumulators::add_bias(params, column0, accumulators);
    }
    if (follows_segment) wait_semaphore(params, work_tile);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const bool inside = own.row[half] >= 0;
      const int64_t row = inside ? own.row[half] : 0;
      if (!is_out) {
        if (adds && work_tile.steps() == 0) continue;  // nothing to add
        if (adds)
          add_sums(partial(params, work_tile, row), params.n, inside, column0, half, accumulators);
        else
          write_fours(partial(params, work_tile, row), params.n, inside, column0, half,
                      accumulators);
        continue;
      }
      if (adds)
        Accumulators::add_sums_of(partial(params, work_tile, row), params.n, inside, column0, half,
                                  accumulators);
      if constexpr (!gpu::is_scaled<E>) {
        if constexpr (HasResidual)
          Accumulators::activate(params.epilogue, half, accumulators);
        else if (params.epilogue.has_more())
          Accumulators::finish_row(params, row, inside, column0, half, accumulators);
        if constexpr (sizeof(Out) == sizeof(float))
          write_fours(static_cast<float*>(params.out) + row * params.n, params.n, inside, column0,
                      half, accumulators);
        else
          Accumulators::write_row(params, row, inside, column0, half, accumulators);
      }
    }
    if (is_ordered(params) && !is_out) release_semaphore(params, work_tile);
  }

 private:
  /// The result, once segments before have added up.
  static __device__ void write_scaled(const GatherGemmParams& params, const WorkTile& work_tile,
                                      const OwnRows& own, int column0, bool adds,
                                      Sum (&accumulators)[TileN / 2]) {
    if (is_behind_segment(params, work_tile)) wait_semaphore(params, work_tile);
    const bool inside[2] = {own.row[0] >= 0, own.row[1] >= 0};
    const int64_t row[2] = {max(own.row[0], 0), max(own.row[1], 0)};
    if (adds)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        Accumulators::add_sums_of(partial(params, work_tile, row[half]), params.n, inside[half],
                                  column0, half, accumulators);
    Accumulators::scale(params, row, inside, column0, accumulators);
#pragma unroll
    for (int half = 0; half < 2; ++half)
      if constexpr (sizeof(Out) == sizeof(float))
        write_fours(static_cast<Sum*>(params.out) + row[half] * params.n, params.n, inside[half],
                    column0, half, accumulators);
      else if constexpr (sizeof(Out) == 2)
        Accumulators::write_row(params, row[half], inside[half], column0, half, accumulators);
      else
        Accumulators::write_bytes(params, row[half], inside[half], column0, half, accumulators);
  }

  /// Tiles of 64 columns go the slices' way: two blocks of 16-bit ones share a multiprocessor and
  /// have no registers left.
  static constexpr bool kAddsToMemory = TileN >= kLeastColumnsOfSemaphores;
  static __device__ bool is_ordered(const GatherGemmParams& params) {
    return kAddsToMemory && params.semaphores;
  }
  static __device__ bool atomic(const GatherGemmParams& params) {
    return kAddsToMemory && params.atomic;
  }
  /// Whether the row at a position of the work tile's order has any of its offsets.
  static __device__ bool has_offset(const GatherGemmParams& params, const WorkTile& work_tile,
                                    int64_t position) {
    constexpr int kTileK = RowBytes / sizeof(typename E::Storage);
    const int depth_steps = (params.k + kTileK - 1) / kTileK;
    const int32_t* index =
        params.tile_index + uint64_t{work_tile.entry} * kTileM + position % kTileM;
    for (int step = 0; step < work_tile.steps(); step += depth_steps, index += kTileM)
      if (__ldg(index) >= 0) return true;
    return false;
  }
  /// Whether it adds to what the segment before left.
  static __device__ bool is_behind_segment(const GatherGemmParams& params,
                                           const WorkTile& work_tile) {
    return is_ordered(params) && work_tile.segment() > 0;
  }
  /// The row's incomplete sums: of the work tile's slice, or of the segments so far.
  static __device__ Sum* partial(const GatherGemmParams& params, const WorkTile& work_tile,
                                 int64_t row) {
    const int64_t slice = is_ordered(params) || atomic(params) ? 0 : work_tile.slice();
    return reinterpret_cast<Sum*>(params.partials) + (slice * params.rows + row) * params.n;
  }

  /// Segments add up in their order, each column tile by itself. Each segment orders its rows on
  /// its own, so that a row of this tile may lie in any tile of the segment before: who adds waits
  /// for the consumer warps of all of them. No deadlock: all blocks are on the device and take work
  /// tiles in rising order of the list, segments outermost, so that the first one that is not
  /// finished never waits.
  static __device__ uint32_t* semaphore_of(const GatherGemmParams& params, int segment,
                                           int column_tile) {
    const int column_tiles = (params.n + TileN - 1) / TileN;
    return params.semaphores + segment * column_tiles + column_tile;
  }
  static __device__ void wait_semaphore(const GatherGemmParams& params, const WorkTile& work_tile) {
    constexpr int kWarps = kConsumers * kGroup / 32;
    const auto all = static_cast<uint32_t>((params.rows + kTileM - 1) / kTileM * kWarps);
    const uint32_t* semaphore =
        semaphore_of(params, work_tile.segment() - 1, work_tile.column_tile());
    // Through a shuffle, so that the compiler knows that a warp leaves the loop together. Else it
    // would take whatever follows, the next tile's multiplies, for divergent.
    while (__shfl_sync(~0u, gpu::sm90::load_acquire(semaphore), 0) < all) {
    }
  }
  static __device__ void release_semaphore(const GatherGemmParams& params,
                                           const WorkTile& work_tile) {
    __syncwarp();
    if (threadIdx.x % 32 == 0)
      gpu::sm90::add_release(semaphore_of(params, work_tile.segment(), work_tile.column_tile()), 1);
  }

  /// Calls each(first column, four sums) for the thread's columns inside of the matrix: neighboring
  /// lanes trade pairs, so that each has four columns of its row.
  template <class Each>
  static __device__ void each_four(int columns, int column0, int half,
                                   const Sum (&accumulators)[TileN / 2], Each each) {
    const int lane = static_cast<int>(threadIdx.x) % 4;
    const bool odd = lane & 1;
#pragma unroll
    for (int i = 0; i < TileN / 8; i += 2) {
      const Sum *low = accumulators + i * 4 + half * 2, *high = low + 4;
      const Sum x = __shfl_xor_sync(~0u, odd ? low[0] : high[0], 1);
      const Sum y = __shfl_xor_sync(~0u, odd ? low[1] : high[1], 1);
      const int at = column0 + i * 8 + odd * 8 + lane / 2 * 4;
      if (at < columns)
        each(at, odd ? FourSums{x, y, high[0], high[1]} : FourSums{low[0], low[1], x, y});
    }
  }
  /// `out`: the row, of sums or of the floats whose bits they are.
  static __device__ void write_fours(Sum* out, int columns, bool inside, int column0, int half,
                                     const Sum (&accumulators)[TileN / 2]) {
    each_four(columns, column0, half, accumulators, [&](int at, const FourSums& four) {
      if (inside) *reinterpret_cast<FourSums*>(out + at) = four;
    });
  }
  static __device__ void add_sums(Sum* out, int columns, bool inside, int column0, int half,
                                  const Sum (&accumulators)[TileN / 2]) {
    each_four(columns, column0, half, accumulators, [&](int at, const FourSums& four) {
      if (inside) gpu::sm90::add_four(out + at, four);
    });
  }
};

}  // namespace spb::plans
