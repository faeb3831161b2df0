// SPDX-License-Identifier: Apache-2.0
// The central tile of fprop and dgrad (docs/algorithms.md, section 6) on AMD's matrix cores, fprop
// of bytes on Turing's, and on the host by their twins. No card ran AMD's; an H200 ran Turing's.
//
// out[M, N] = sum over the offsets that a tile lists of A[M, K] * B[N, K].
//
// grid    x = row tiles x column tiles, column tiles fastest; y = slices of a tile's steps, or
//         segments; z = groups of channels
// tile    kMatrixRowTiles in tiles.h
// step    registers -> stage; barrier; global -> registers for the next step, while fragments are
//         read and multiplied; barrier
// shared  one stage: rows of A and of B, swizzled chunks of 16 bytes
//         (kernels/matrix_cores/places.h); after the last step a slab of sums for each wavefront
//
// Copies go by way of registers: gfx942's direct copies to LDS move four bytes a lane to
// consecutive addresses, which is no swizzled row (LLVM, AMDGPU usage); Turing has none. Sums go
// out by way of LDS, those of an instruction or, of Turing's small ones, of four at a time, so that
// a lane has four columns side by side.
#pragma once

#include "gpu/atomic.cuh"
#include "gpu/launch.cuh"
#include "kernels/common/elements.cuh"
#include "kernels/common/epilogue.cuh"
#include "kernels/gather_gemm/matrix_cores/loader.cuh"

namespace spb::plans {

template <class Element, size_t Index, bool WideRows, bool TransposedWeights>
struct MatrixRowParts {
  using E = Element;
  static constexpr MatrixTile kTile = kMatrixRowTiles[Index];
  static constexpr MatrixPlaces kPlaces = places_of(kTile, E::dtype);
  static_assert(kPlaces.is_sound());
  using Atom = gpu::MatrixAtomOf<E, kTile.cores, kTile.atom_size>;
  static constexpr bool kWide = WideRows, kTransposed = TransposedWeights;
  static constexpr int kTilesM = kTile.warp_m / kTile.atom_size,
                       kTilesN = kTile.warp_n / kTile.atom_size;
  struct Accumulators {
    typename Atom::Sums sum[kTilesM][kTilesN];
  };
};

/// Calls write(element, column, left, sums) for four sums side by side of a row of the output, of
/// which `left` lie inside. `shared`: what the stage was.
template <class Parts, class Write>
__device__ __forceinline__ void for_each_four_sums(const typename Parts::Accumulators& accumulators,
                                                   const GatherGemmParams& params,
                                                   const int32_t* order, int64_t tile, int column0,
                                                   int thread, MatrixChunk* shared, Write write) {
  using Atom = typename Parts::Atom;
  constexpr MatrixPlaces kPlaces = Parts::kPlaces;
  constexpr gpu::LaneTable kTable = Atom::kTable;
  constexpr int kAside = kPlaces.slab_instructions(), kFours = kPlaces.slab_columns() / 4,
                kTurns = kTable.size * kFours / kTable.lanes;
  const int lane = thread % kTable.lanes;
  const int64_t first = tile * kPlaces.tile_m() + kPlaces.warp_row(thread);
  const int first_column = column0 + kPlaces.warp_column(thread);
  using Sum = typename Parts::E::Sum;
  Sum* slab = reinterpret_cast<Sum*>(shared) + thread / kTable.lanes * kPlaces.slab_sums();
  GPU_UNROLL
  for (int i = 0; i < Parts::kTilesM; ++i) {
    GPU_UNROLL
    for (int j = 0; j < Parts::kTilesN; j += kAside) {
      gpu::sync_warp();
      GPU_UNROLL
      for (int aside = 0; aside < kAside; ++aside) {
        GPU_UNROLL
        for (int r = 0; r < Atom::kSums; ++r)
          slab[kPlaces.slab(kTable.row(lane, r), aside * kTable.size + kTable.line(lane))] =
              accumulators.sum[i][j + aside][r];
      }
      gpu::sync_warp();
      for (int turn = 0; turn < kTurns; ++turn) {
        const int four = turn * kTable.lanes + lane, slab_row = four / kFours;
        const int64_t position = first + i * kTable.size + slab_row;
        const int column = first_column + j * kTable.size + four % kFours * 4;
        if (position >= params.rows || column >= params.n) continue;
        const int64_t row = order ? order[position] : position;
        if (row < 0) continue;
        Sum sums[4];
        memcpy(sums, slab + kPlaces.slab(slab_row, four % kFours * 4), sizeof sums);
        write(row * BlockGroup<true>{params}.out_pitch() + column, column, params.n - column, sums);
      }
    }
  }
}

/// f(0) to f(3). No loop: clang 15 kept what it indexes in memory.
template <class F>
__device__ __forceinline__ void for_each_of_four(F f) {
  f(0);
  f(1);
  f(2);
  f(3);
}

/// `out` gets the first `left` of four values.
template <class T>
__device__ __forceinline__ void store_four(T* out, const T (&values)[4], int left) {
  if (left >= 4 && reinterpret_cast<uintptr_t>(out) % sizeof values == 0) {
    *reinterpret_cast<Elements<T, 4>*>(out) = {values[0], values[1], values[2], values[3]};
    return;
  }
  for_each_of_four([&](int c) {
    if (c < left) out[c] = values[c];
  });
}

/// Four outputs of sums, of which `left` lie inside.
template <class E>
__device__ __forceinline__ void finish_four(const typename E::Sum (&sums)[4],
                                            const OutputEpilogue& epilogue, int column, int64_t at,
                                            int left, typename E::Out* out) {
  typename E::Out outputs[4] = {};
  if (left >= 4) {
    finish<E, 4>(sums, epilogue, column, at, outputs);
  } else {
    for_each_of_four([&](int c) {
      if (c >= left) return;
      const typename E::Sum own[1] = {sums[c]};
      typename E::Out output[1] = {};
      finish<E, 1>(own, epilogue, column + c, at + c, output);
      outputs[c] = output[0];
    });
  }
  store_four(out + at, outputs, left);
}

template <class Parts>
__device__ __forceinline__ void compute_matrix_tile(const GatherGemmParams& params,
                                                    int column_tiles) {
  using E = typename Parts::E;
  using Sum = typename E::Sum;
  constexpr MatrixPlaces kPlaces = Parts::kPlaces;
  __shared__ MatrixChunk shared[kPlaces.shared_chunks()];
  const int thread = static_cast<int>(threadIdx.x);
  const int64_t tile = blockIdx.x / column_tiles;
  const int column0 = static_cast<int>(blockIdx.x % column_tiles) * kPlaces.tile_n();
  const int slice = static_cast<int>(blockIdx.y);
  const RowLists& lists = params.segment_count > 0 ? params.segments[slice] : params;
  const RowSteps steps = row_steps(params, lists, tile, slice, kPlaces.tile_k());

  typename Parts::Accumulators accumulators;  // (warp_m, warp_n) of a wavefront
  clear_sums<Parts>(accumulators);
  if (steps.first < steps.end) {
    MatrixRowLoader<Parts> loader(params, lists, steps, tile, column0, thread);
    loader.fetch();
    for (int step = steps.first; step < steps.end; ++step) {
      loader.store(shared);
      gpu::sync_threads();
      if (step + 1 < steps.end) loader.fetch();
      multiply_stage<Parts>(accumulators, shared, thread);
      gpu::sync_threads();
    }
  }
  const auto each_four = [&](auto write) {
    for_each_four_sums<Parts>(accumulators, params, lists.order, tile, column0, thread, shared,
                              write);
  };
  const BlockGroup<true> group{params};
  if (params.atomic) {
    Sum* out = group.template partials<Sum>(0);
    each_four([&](int64_t at, int, int left, const Sum(&sums)[4]) {
      for_each_of_four([&](int c) {
        if (c < left) gpu::atomic_add(out + at + c, sums[c]);
      });
    });
  } else if (params.partials) {
    Sum* out = group.template partials<Sum>(slice);
    each_four(
        [&](int64_t at, int, int left, const Sum(&sums)[4]) { store_four(out + at, sums, left); });
  } else {
    auto* out = group.template out<typename E::Out>();
    const OutputEpilogue epilogue = group.template epilogue<typename E::Out>();
    each_four([&](int64_t at, int column, int left, const Sum(&sums)[4]) {
      finish_four<E>(sums, epilogue, column, at, left, out);
    });
  }
}

/// Two wavefronts to a SIMD, which HIP counts here; CUDA counts blocks to a multiprocessor.
template <class Parts>
GPU_KERNEL void __launch_bounds__(Parts::kPlaces.threads(), 2)
    matrix_row_kernel(const GatherGemmParams params, int column_tiles) {
  if constexpr (Parts::Atom::kPresent)
    compute_matrix_tile<Parts>(gpu::first_argument(params), column_tiles);
  else
    __builtin_trap();
}

}  // namespace spb::plans
