// SPDX-License-Identifier: Apache-2.0
// The central tile of fprop and dgrad (docs/algorithms.md, section 6) on NVIDIA GPUs from sm_80 on:
// a multistage pipeline of asynchronous copies that runs through all steps of a tile without
// draining.
//
// out[M, N] = sum over the offsets that a tile lists of A[M, K] * B[N, K]; S stages.
//
// grid   x = row tiles x column tiles, column tiles fastest; y = slices of a tile's steps, or
//        segments; z = groups of channels. A block ends with its tile.
// tile   M 64 to 256, N 32 to 256, K of 64 or 128 bytes: kSm80RowTiles in tiles.h
//
// role  warps              registers                  does
// all   warps_m x warps_n  what `blocks` per          copies its share of A, B and row indices;
//                          multiprocessor leave each  mma of warp_m x warp_n; writes these
//
// synchronization       when                           orders
// cp.async.wait_group   once a step, to S - 2 left     the thread's own copies of the next stage
// __syncthreads         after it                       all copies of the next stage before reads,
//                                                      all reads of this one before new copies
// __syncthreads         after the last step            stages become the scratch of the writers
//
// shared memory       bytes             layout
// stage [S] of A      M x row_bytes     a row of K in swizzled chunks of 16 bytes (mma_sm80.cuh)
//        and B        N x row_bytes     a row of each column; transposed: [K][N], a row of each k
// slot [2 (S - 1)]    4 M + 16          row indices of an entry (a listed offset), and where its
//                                       weights begin: filled S - 1 entries ahead
// scratch, at stages  per warp 16 rows  sums on their way to whole rows of `out`
#pragma once

#include <algorithm>

#include "gpu/launch.cuh"
#include "kernels/gather_gemm/sm80/loader.cuh"
#include "kernels/gather_gemm/sm80/output.cuh"
#include "kernels/gather_gemm/sm80/requantize.cuh"

namespace spb::plans {

/// What a kernel is made of: the element, the tile multiply, how deep the pipeline is, and whether
/// it adds to the one partial that there is, and whether channels have groups.
template <class Element, class TileMultiply, int StageCount, int ResidentBlocks, bool WideRows,
          bool Adds, bool Grouped>
struct Sm80RowParts {
  using E = Element;
  using Mma = TileMultiply;
  static constexpr int kStages = StageCount, kBlocks = ResidentBlocks;
  using Group = BlockGroup<Grouped>;
  using Loader = RowLoader<E, Mma, kStages, WideRows, Grouped>;
  using Writer = RowWriter<E, Mma>;
  using Finisher =
      std::conditional_t<gpu::is_scaled<E>, RowRequantizer<E, Mma>, RowFinisher<E, Mma>>;
  static constexpr bool kAdds = Adds;
  using SliceWriter = RowWriter<SumsOf<Mma>, Mma, Adds>;
  static constexpr int kSharedBytes =
      std::max(kStages * Loader::kStageBytes + Loader::kRingBytes, SliceWriter::kSharedBytes);
  static_assert(Finisher::kSharedBytes <= kSharedBytes);
};

/// Calls f.template operator()<0>() to f.template operator()<Count - 1>().
template <int Count, int Index = 0, class F>
__device__ __forceinline__ void unrolled(F&& f) {
  if constexpr (Index < Count) {
    f.template operator()<Index>();
    unrolled<Count, Index + 1>(f);
  }
}

/// sums += all steps of the loader, from the first on.
template <class Parts>
__device__ __forceinline__ void multiply_steps(typename Parts::Mma::Accumulators& accumulators,
                                               typename Parts::Loader& loader, int steps,
                                               uint32_t shared, int thread) {
  using Mma = typename Parts::Mma;
  using Loader = typename Parts::Loader;
  constexpr int kStages = Parts::kStages, kSlices = Mma::kSlices;
  static_assert(kSlices % 2 == 0 && kStages >= 2);
  const auto at = Mma::place(thread);

  for (int i = 0; i < Loader::kAhead; ++i) loader.fill_slot();
  gpu::sm80::commit_copies();
  gpu::sm80::wait_copies<0>();
  gpu::sync_threads();
  for (int stage = 0; stage < kStages - 1; ++stage) {
    loader.begin_step();
    loader.template load<0, 1>(shared + stage * Loader::kStageBytes);
    gpu::sm80::commit_copies();
  }
  gpu::sm80::wait_copies<kStages - 2>();
  gpu::sync_threads();

  typename Mma::Fragments fragments[2];  // one is multiplied while the other is loaded
  Mma::load(fragments[0], at, shared, 0);
  int read_stage = 0, write_stage = kStages - 1;
  for (int step = 0; step < steps; ++step) {
    const uint32_t filled = shared + write_stage * Loader::kStageBytes;
    uint32_t from = shared + read_stage * Loader::kStageBytes;
    unrolled<kSlices>([&]<int Slice>() {
      if constexpr (Slice == kSlices - 1) {
        // All fragments of this stage are in registers: behind the barrier the next is there, and
        // the next step's copies may overwrite this one.
        gpu::sm80::commit_copies();
        gpu::sm80::wait_copies<kStages - 2>();
        gpu::sync_threads();
        read_stage = read_stage + 1 == kStages ? 0 : read_stage + 1;
        write_stage = write_stage + 1 == kStages ? 0 : write_stage + 1;
        from = shared + read_stage * Loader::kStageBytes;
      }
      Mma::load(fragments[(Slice + 1) % 2], at, from, (Slice + 1) % kSlices);
      if constexpr (Slice == 0) loader.begin_step();
      if constexpr (Slice < kSlices - 1) loader.template load<Slice, kSlices - 1>(filled);
      Mma::multiply(accumulators, fragments[Slice % 2]);
    });
  }
  gpu::sm80::wait_copies<0>();
}

template <class Parts>
__device__ __forceinline__ void compute_row_tile(const GatherGemmParams& params, int column_tiles) {
  using E = typename Parts::E;
  using Mma = typename Parts::Mma;
  using Loader = typename Parts::Loader;
  auto* shared = gpu::dynamic_shared<unsigned char>();
  auto* ring = shared + Parts::kStages * Loader::kStageBytes;
  // Holds for kernels without static shared memory; the tile multiply relies on it.
  if (gpu::sm80::shared_address(shared) % Mma::kAlignment != 0) __trap();
  const int thread = static_cast<int>(threadIdx.x);
  const int slice = static_cast<int>(blockIdx.y);
  const RowLists lists = params.segment_count > 0 ? params.segments[slice] : params;
  const unsigned position = blockIdx.x / static_cast<unsigned>(column_tiles);
  const int64_t tile = lists.tile_order ? lists.tile_order[position] : position;
  const int column0 =
      static_cast<int>(blockIdx.x % static_cast<unsigned>(column_tiles)) * Mma::kTileN;

  typename Mma::Accumulators accumulators;  // (warp_m, warp_n) of a warp
  const typename Parts::Group group{params};
  // Epilogues are fprop's.
  constexpr bool kBackward = Mma::kLayoutB == gpu::sm80::LayoutB::transposed;
  const OutputEpilogue epilogue = group.template epilogue<typename E::Out>();
  begin_accumulators<E, Mma>(accumulators, params, params.partials ? nullptr : epilogue.bias,
                             column0, thread);
  const RowSteps steps = row_steps(params, lists, tile, slice, Mma::kTileK);
  if (steps.first < steps.end) {
    Loader loader(params, lists, steps, tile, column0, thread, ring);
    multiply_steps<Parts>(accumulators, loader, steps.end - steps.first,
                          gpu::sm80::shared_address(shared), thread);
    gpu::sync_threads();  // the stages become the writers' scratch
  }
  if (Parts::kAdds || params.partials)
    Parts::SliceWriter::write(accumulators, params, lists.order,
                              group.template partials<typename Mma::Sum>(slice), group.out_pitch(),
                              tile, column0, thread, shared);
  else if (gpu::is_scaled<E> || (!kBackward && epilogue.has_more()))
    Parts::Finisher::write(accumulators, params, epilogue, lists.order,
                           group.template out<typename E::Out>(), group.out_pitch(), tile, column0,
                           thread, shared);
  else if constexpr (!gpu::is_scaled<E>)
    Parts::Writer::write(accumulators, params, lists.order, group.template out<typename E::Out>(),
                         group.out_pitch(), tile, column0, thread, shared);
}

/// Grid: x = row tiles times column tiles, column tiles adjacent so that they share gathered rows
/// in cache; y = slices of a tile's steps, or segments; z = groups.
template <class Parts>
GPU_KERNEL void __launch_bounds__(Parts::Mma::kThreads, Parts::kBlocks)
    sm80_row_kernel(const GatherGemmParams params, int column_tiles) {
  gpu::wait_for_earlier_kernels_alone();
  if constexpr (gpu::sm80::kPresent)
    compute_row_tile<Parts>(params, column_tiles);
  else
    __trap();
}

}  // namespace spb::plans
