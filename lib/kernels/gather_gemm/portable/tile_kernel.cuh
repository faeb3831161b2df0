// SPDX-License-Identifier: Apache-2.0
// The central tile of fprop and dgrad (docs/algorithms.md, section 6): gather, multiply, write.
//
// out[M, N] = sum over offsets of A[M, K] * B[K, N], in fp32 or int32 multiply-adds.
//
// grid    x = row tiles x column tiles, column tiles fastest; y = slices of a tile's steps;
//         z = groups of channels
// tile    M = 64 rows, N = 32 | 64 columns, K = 32
// threads 64: each loads one row of A and its share of a column of B, then owns 4 x 8 | 8 x 8 sums
// barrier one a step: the stage is filled; two stages, so that none is needed after its use
// shared  2 x (A [M][K + 1], B [K][N]) words; of A a pad, so that rows lie in different banks
#pragma once

#include "gpu/atomic.cuh"
#include "gpu/element.cuh"
#include "gpu/launch.cuh"
#include "gpu/qualifiers.h"
#include "kernels/common/epilogue.cuh"
#include "kernels/gather_gemm/group.cuh"
#include "kernels/gather_gemm/params.h"
#include "kernels/gather_gemm/slice.h"

namespace spb::plans {

/// The offsets one row tile works through, in order.
struct OffsetList {
  const int32_t* listed;  // null: 0, 1, 2, ...
  int64_t size;
  __device__ int32_t operator[](int64_t i) const {
    return listed ? listed[i] : static_cast<int32_t>(i);
  }
};

__device__ inline OffsetList offsets_of(const GatherGemmParams& params, const RowLists& lists,
                                        int64_t tile) {
  if (!lists.listed_begin) return {nullptr, params.kernel_volume};
  const int64_t begin = lists.listed_begin[tile];
  return {lists.listed + begin, lists.listed_begin[tile + 1] - begin};
}

__device__ inline int64_t row_at(const RowLists& lists, int64_t position) {
  return lists.order ? lists.order[position] : position;
}

/// Of a block. Passes without Listed have one set of lists, and no tile index.
template <bool Listed>
__device__ RowLists lists_of(const GatherGemmParams& params, int slice) {
  if constexpr (Listed)
    if (params.segment_count > 0) return params.segments[slice];
  return params;
}

/// Loads the thread's row of A, `depth` channels deep, zeros for an absent row.
template <class E, class Mma>
__device__ void load_row(typename Mma::Stage& stage, int m, const typename E::Storage* source,
                         int depth, int filled) {
  const int present = source ? depth : 0;
  for (int k = 0; k < present; ++k) stage.set_a(m, k, E::load(source[k]));
  for (int k = present; k < filled; ++k) stage.set_a(m, k, 0);
}

/// Loads a depth x TileN part of B; a thread stays in one column.
template <class E, class Mma>
__device__ void load_weights(typename Mma::Stage& stage, const GatherGemmParams& params,
                             int64_t offset, int c0, int column0, int thread, int depth,
                             int filled) {
  constexpr int kStep = Mma::kThreads / Mma::kTileN;
  static_assert(Mma::kThreads % Mma::kTileN == 0);
  const int n = thread % Mma::kTileN;
  const int present = column0 + n < params.n ? depth : 0;
  const auto* weights = BlockGroup<true>{params}.template weights<typename E::Storage>() +
                        offset * params.weight_offset_pitch + c0 * params.weight_k_pitch +
                        (column0 + n) * params.weight_n_pitch;
  int k = thread / Mma::kTileN;
  for (; k < present; k += kStep) stage.set_b(k, n, E::load(weights[k * params.weight_k_pitch]));
  for (; k < filled; k += kStep) stage.set_b(k, n, 0);
}

/// Calls write(element, column, sum) for the thread's sums that lie inside of the output.
template <class Mma, bool Listed, class Write>
__device__ void for_each_sum(typename Mma::Accumulators& accumulators,
                             const GatherGemmParams& params, const RowLists& lists, int64_t tile,
                             int column0, int thread, Write write) {
  GPU_UNROLL
  for (int i = 0; i < Mma::kRows; ++i) {
    const int64_t position = tile * Mma::kTileM + Mma::row(thread, i);
    if (position >= params.rows) continue;
    const int64_t row = row_at(lists, position);
    if constexpr (Listed)
      if (row < 0) continue;
    const int64_t first = row * BlockGroup<true>{params}.out_pitch();
    GPU_UNROLL
    for (int j = 0; j < Mma::kColumns; ++j) {
      const int column = column0 + Mma::column(thread, j);
      if (column < params.n) write(first + column, column, accumulators.sum[i][j]);
    }
  }
}

/// Grid: x = row tiles times column tiles, column tiles adjacent so that they share gathered rows
/// in cache; y = slices of a tile's steps; z = groups. Listed: of segments or of pair tiles, in an
/// instance of their own, so that no other pass pays for them.
template <class E, class Mma, bool Listed>
GPU_KERNEL void __launch_bounds__(Mma::kThreads)
    tile_kernel(const GatherGemmParams parameter, int column_tiles) {
  const GatherGemmParams& params = gpu::first_argument(parameter);
  static_assert(Mma::kThreads == Mma::kTileM, "each thread gathers one row");
  // Two stages: a block fills one while its slower threads still read the other, so that one
  // barrier per step is enough.
  __shared__ typename Mma::Stage stages[2];
  const int thread = static_cast<int>(threadIdx.x);
  const int64_t tile = blockIdx.x / column_tiles;
  const int column0 = static_cast<int>(blockIdx.x % column_tiles) * Mma::kTileN;
  const int slice = static_cast<int>(blockIdx.y);
  const RowLists lists = lists_of<Listed>(params, slice);
  const int64_t position = tile * Mma::kTileM + thread;
  const bool indexed = Listed && lists.tile_index;
  const int32_t* neighbors = nullptr;
  if (indexed)
    neighbors = lists.tile_index + lists.listed_begin[tile] * Mma::kTileM + thread;
  else if (position < params.rows)
    neighbors = params.map + row_at(lists, position) * params.kernel_volume;

  const OffsetList offsets = offsets_of(params, lists, tile);
  const int chunks = (params.k + Mma::kTileK - 1) / Mma::kTileK;
  const int64_t steps = offsets.size * chunks;
  const bool whole = Listed && params.segment_count > 0;
  const BlockGroup<true> group{params};
  const int64_t end = whole ? steps : slice_begin(slice + 1, params.split, steps);
  const typename E::Storage* source = nullptr;
  int64_t weight_offset = 0, at_offset = -1;

  typename Mma::Accumulators accumulators;
  Mma::clear(accumulators);
  for (int64_t step = whole ? 0 : slice_begin(slice, params.split, steps); step < end; ++step) {
    const int64_t entry = step / chunks;
    if (entry != at_offset) {
      at_offset = entry;
      const int32_t offset = offsets[entry];
      const int64_t at = indexed ? entry * Mma::kTileM : offset;
      const int32_t row = neighbors ? neighbors[at] : -1;
      source = row < 0 ? nullptr
                       : group.template source<typename E::Storage>() +
                             int64_t{row} * group.source_pitch();
      weight_offset = params.mirrored ? params.kernel_volume - 1 - offset : offset;
    }
    const int c0 = static_cast<int>(step % chunks) * Mma::kTileK;
    const int depth = params.k - c0 < Mma::kTileK ? params.k - c0 : Mma::kTileK;
    const int filled = (depth + Mma::kDepthStep - 1) / Mma::kDepthStep * Mma::kDepthStep;
    typename Mma::Stage& stage = stages[step & 1];
    load_row<E, Mma>(stage, thread, source ? source + c0 : nullptr, depth, filled);
    load_weights<E, Mma>(stage, params, weight_offset, c0, column0, thread, depth, filled);
    gpu::sync_threads();
    Mma::multiply(accumulators, stage, thread, filled);
  }
  const auto each_sum = [&](auto write) {
    for_each_sum<Mma, Listed>(accumulators, params, lists, tile, column0, thread, write);
  };
  if (Listed && params.atomic) {
    auto* out = group.template partials<typename E::Sum>(0);
    each_sum([&](int64_t at, int, auto sum) { gpu::atomic_add(out + at, sum); });
  } else if (params.partials) {
    auto* out = group.template partials<typename E::Sum>(slice);
    each_sum([&](int64_t at, int, auto sum) { out[at] = sum; });
  } else {
    auto* out = group.template out<typename E::Out>();
    OutputEpilogue epilogue = group.template epilogue<typename E::Out>();
    if constexpr (gpu::is_scaled<E>) {
      with_activation(epilogue, [&](auto activate) {
        each_sum([&](int64_t at, int column, typename E::Sum sum) {
          out[at] = E::store(activate(scaled<E>(sum, epilogue, column, at)));
        });
      });
      return;
    } else {
      if (epilogue.has_more()) {
        // In steps over all sums: one sum after the other would take them out of their registers.
        const auto* residual = static_cast<const typename E::Out*>(epilogue.residual);
        each_sum([&](int64_t at, int column, float& sum) {
          if (epilogue.bias) sum += epilogue.bias[column];
          if (residual) sum += OutputElement<E>::load(residual[at]);
        });
        with_activation(epilogue, [&](auto activate) {
          each_sum([&](int64_t, int, float& sum) { sum = activate(sum); });
        });
        epilogue.bias = nullptr;
      }
      each_sum([&](int64_t at, int column, float sum) {
        out[at] = E::store(epilogue.bias ? sum + epilogue.bias[column] : sum);
      });
    }
  }
}

}  // namespace spb::plans
