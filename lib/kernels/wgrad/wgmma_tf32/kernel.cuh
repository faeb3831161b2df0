// SPDX-License-Identifier: Apache-2.0
// The tf32 kernel of wgrad for sm_90a. wgmma takes tf32 with the depth contiguous alone, and here
// depth is gathered rows. So gathering warps read rows of in into registers, four of them 16 bytes
// wide, and store them as columns; rows of gout are copied as they are, and read across by the
// multiplying warps, whose operand in registers they are. The steps of all pieces of a block form
// one stream; see gather_gemm/wgmma/kernel.cuh.
//
// gw[M, N] = sum over K pairs of gout[K, M] * in[K, N]; S stages (tiles.h).
//
// grid   x = blocks of the schedule, which each walk their pieces; by programmatic dependent launch
// tile   M = 128 channels of gout, N = 128 | 256 of in, K = 32 pairs
//
// role          warps       registers      does
// gather        0-7         80 (N = 128:   a step's rows of in into registers, where they are under
//                           120)           way while consumers multiply; cp.async of those of gout;
//                                          indices a step ahead. N = 128: the two warpgroups take
//                                          turns, each with a step of its own
// multiply 0,1  8-11,       176 (N = 128:  wgmma of 64 x N; epilogue
//               12-15       136)
// setmaxnreg trades them: the kernel is compiled for 128 registers.
//
// barrier    arrivals       a phase ends when                                    waited for by
// full [S]   256 (N = 128:  each thread that gathers the step has stored, and    multiply
//            128)           its copies have landed
// empty [S]  256            each thread of both consumers gave the stage back    gather
//
// shared memory  bytes                    layout (places.h)
// stage [S]      N / 128 x 16384 + 17408  in: blocks of [128 channels][K]; gout: [K][M, padded]
// barriers       16 S                     static
#pragma once

#include "kernels/pipeline.cuh"
#include "kernels/wgrad/sm80/tiles.cuh"
#include "kernels/wgrad/wgmma/walk.cuh"
#include "kernels/wgrad/wgmma_tf32/places.h"

namespace spb::plans {

/// The sums of a tile as both consumers' threads hold them.
template <int TileN>
struct WgradTf32Sums {
  using Places = WgradTf32Places;
  static constexpr int kTileM = 128, kTileN = TileN, kThreads = 256;
  static constexpr int kGroupSize = Places::kSumsOfGroup;
  static constexpr int kGroups = TileN / 2 / kGroupSize;

  static __device__ void get_group(const float (&accumulators)[TileN / 2], int group,
                                   float (&values)[kGroupSize]) {
#pragma unroll
    for (int v = 0; v < kGroupSize; ++v) values[v] = accumulators[Places::group(group).sum(v)];
  }

  /// `thread` counts those of both consumers.
  template <class E>
  static __device__ void write(const GradientTile& tile, int group,
                               const float (&values)[kGroupSize], int thread) {
    const Places::SumGroup of = Places::group(group);
    const int row = Places::row_of(thread) + of.half, column = of.column(thread);
    if (row >= tile.rows) return;
    float* to = static_cast<float*>(tile.first) + row * tile.row_pitch + column;
    const bool vectors = takes_vectors<E>(tile);
#pragma unroll
    for (int v = 0; v < kGroupSize; v += 4) {
      const float four[4] = {values[v], values[v + 1], values[v + 2], values[v + 3]};
      if (!vectors)
        write_sums<E, 4>(to + v, tile.columns - column - v, four);
      else if (column + v < tile.columns)
        *reinterpret_cast<float4*>(to + v) = {four[0], four[1], four[2], four[3]};
    }
  }
};

/// What is read in the place of absent rows: cheaper than not to read.
__device__ const uint4 kWgradZeros = {};

template <int TileN, int Stages>
struct WgradWgmmaTf32 {
  using E = gpu::TF32;
  using Places = WgradTf32Places;
  using Sums = WgradTf32Sums<TileN>;
  static constexpr int kTileM = Sums::kTileM, kTileK = Places::kPairs;
  static constexpr int kProducers = 2, kConsumers = 2, kGroup = 128;
  static constexpr int kLaunchThreads = kGroup * (kProducers + kConsumers);
  static constexpr int kProducerRegisters = TileN == 256 ? 80 : 120;
  static constexpr int kConsumerRegisters = 2 * 128 - kProducerRegisters;
  /// More rows are under way with turns, for which N = 256 leaves no registers.
  static constexpr int kTurns = TileN == 256 ? 1 : kProducers;
  static constexpr int kStepThreads = kGroup * kProducers / kTurns, kStepWarps = kStepThreads / 32;
  static constexpr int kRowStep = kStepWarps * Places::kWarpPairs;
  static constexpr int kBlocks = TileN / Places::kChannels;
  static constexpr int kBytesB = kBlocks * Places::kBlockBytes;
  using Pipeline = StagePipeline<Stages, kBytesB + Places::kBytesA, 1>;
  static constexpr size_t kSharedBytes = Pipeline::kSharedBytes;
  using Step = WgradStep<1, kTileK / kRowStep>;
  static constexpr int kRows = Step::kRows;  // of a lane; a warp has four times as many

  /// Four rows by four channels.
  using Square = uint32_t[4][4];
  using Squares = Square[kRows][kBlocks];

  static __device__ void produce(const WgradParams& params, const Pipeline& pipeline,
                                 int producer) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int warp = static_cast<int>(threadIdx.x) / 32 % kStepWarps;
    const uint32_t to_b = Places::to(lane, warp);
    const uint32_t to_a = kBytesB + Places::to_a(lane, warp * Places::kWarpPairs);
    // Each lane walks along one of the warp's four rows, and tells the others.
    WgradWalk<kTileM, TileN, kTileK, 1, kRowStep, false> walk(
        params, warp * Places::kWarpPairs + lane % Places::kWarpPairs);
    typename Pipeline::PipelineState at;
    for (int other = 0; other < producer % kTurns; ++other) {
      walk.pass();
      at.advance();
    }
    const auto next = [&](Step& step) {
      walk.next(step);
#pragma unroll
      for (int other = 1; other < kTurns; ++other) walk.pass();
    };
    Step step, ahead;
    next(step);
    next(ahead);
    Squares squares;
    load_all(params, step, lane, squares);
    while (step.valid) {
      pipeline.wait_empty(at);
      const uint32_t stage = pipeline.stage(at.stage);
      if (__any_sync(~0u, !store_all(squares, stage + to_b)))
        store_all_rounded(params, step, lane, stage + to_b);
      load_all(params, ahead, lane, squares);
      copy_gout(params, step, lane, stage + to_a);
      gpu::sm90::fence_for_multiply();
      pipeline.filled_by_copies(at);
#pragma unroll
      for (int other = 0; other < kTurns; ++other) at.advance();
      step = ahead;
      next(ahead);
    }
  }

  /// A row without its input adds nothing, so that gout is not read either. Channels behind the
  /// last are those of sums that nobody writes: any of the row's will do.
  static __device__ __forceinline__ void copy_gout(const WgradParams& params, const Step& step,
                                                   int lane, uint32_t to) {
    const char* from =
        static_cast<const char*>(params.gout) + min(step.co + lane * 4, params.c_out - 4) * 4;
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      const int mine = step.in[i][0] >= 0 ? step.out[i] : -1;
#pragma unroll
      for (int r = 0; r < Places::kWarpPairs; ++r) {
        const int row = __shfl_sync(~0u, mine, r);
        gpu::sm80::copy_16_or_zero(to + Places::to_a(0, i * kRowStep + r),
                                   row_of(from, max(row, 0), params.c_out), row >= 0);
      }
    }
  }

  /// One instruction, unlike products of signed numbers.
  static __device__ const char* row_of(const char* first, int row, int channels) {
    return first + uint64_t{static_cast<uint32_t>(row)} * static_cast<uint32_t>(channels * 4);
  }

  /// Where the square of the lane's rows i lies, from where that of row 0 of block 0 does.
  static __device__ uint32_t place(uint32_t to, int i, int block) {
    return (to ^ Places::warp_step(i * kStepWarps)) + block * Places::kBlockBytes;
  }

  /// Rounds to tf32 as rounded_to_tf32() does, whose third instruction is for NaNs, of which this
  /// makes other values: false where a word is infinite or NaN. Finite values times zero add up to
  /// zero.
  static __device__ __forceinline__ bool store_all(const Squares& squares, uint32_t to) {
    constexpr uint32_t kHalf = 1u << 12;
    float zero[4] = {};
#pragma unroll
    for (int i = 0; i < kRows; ++i)
#pragma unroll
      for (int b = 0; b < kBlocks; ++b)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          uint32_t words[4];
#pragma unroll
          for (int r = 0; r < 4; ++r) {
            const uint32_t word = squares[i][b][r][e];
            zero[r] = __fmaf_rn(__uint_as_float(word), 0.f, zero[r]);
            words[r] = word + kHalf;
          }
          gpu::sm80::store_shared_16(place(to, i, b) + e * Places::kChannelStep, words);
        }
    return zero[0] + zero[1] + zero[2] + zero[3] == 0;
  }

  /// The same of what is read once more, for any words.
  static __device__ void store_all_rounded(const WgradParams& params, const Step& step, int lane,
                                           uint32_t to) {
    Squares squares;
    load_all<false>(params, step, lane, squares);
#pragma unroll
    for (int i = 0; i < kRows; ++i)
#pragma unroll
      for (int b = 0; b < kBlocks; ++b)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          uint32_t words[4];
#pragma unroll
          for (int r = 0; r < 4; ++r) words[r] = gpu::sm80::rounded_to_tf32(squares[i][b][r][e]);
          gpu::sm80::store_shared_16(place(to, i, b) + e * Places::kChannelStep, words);
        }
  }

  /// All of a step's at once, after the last store: the hardware counts what loads a warp waits
  /// for, and of counters there are few, so that a store would wait for loads that it has no part
  /// in.
  static __device__ __forceinline__ void load_all(const WgradParams& params, const Step& step,
                                                  int lane, Squares& squares) {
    if (!step.valid) return;
    bool present = true;
#pragma unroll
    for (int i = 0; i < kRows; ++i) present = present && step.in[i][0] >= 0;
    if (__all_sync(~0u, present))
      load_all<true>(params, step, lane, squares);
    else
      load_all<false>(params, step, lane, squares);
  }

  /// Present: all rows of the warp are.
  template <bool Present>
  static __device__ __forceinline__ void load_all(const WgradParams& params, const Step& step,
                                                  int lane, Squares& squares) {
    const char* from[kBlocks];
#pragma unroll
    for (int b = 0; b < kBlocks; ++b)
      from[b] = static_cast<const char*>(params.in) +
                min(step.ci + b * Places::kChannels + lane * 4, params.c_in - 4) * 4;
#pragma unroll
    for (int i = 0; i < kRows; ++i)
#pragma unroll
      for (int r = 0; r < Places::kWarpPairs; ++r) {
        const int row = __shfl_sync(~0u, step.in[i][0], r);
#pragma unroll
        for (int b = 0; b < kBlocks; ++b)
          gpu::sm90::load_16(squares[i][b][r], Present || row >= 0
                                                   ? row_of(from[b], row, params.c_in)
                                                   : reinterpret_cast<const char*>(&kWgradZeros));
      }
  }

  static __device__ void consume(const WgradParams& params, const Pipeline& pipeline,
                                 int consumer) {
    typename Pipeline::PipelineState at;
    const int last_piece = params.block_pieces[blockIdx.x + 1];
    const int thread = consumer * kGroup + static_cast<int>(threadIdx.x) % kGroup;
    const uint32_t from_a = kBytesB + Places::from_a(thread);
    // The next one is on its way while the present one is worked on.
    WgradPieceSums piece{}, ahead = WgradPieceSums::of(params, params.block_pieces[blockIdx.x]);
    for (int p = params.block_pieces[blockIdx.x]; p < last_piece; ++p) {
      piece = ahead;
      if (p + 1 < last_piece) ahead = WgradPieceSums::of(params, p + 1);
      float accumulators[TileN / 2];  // (64, TileN) of 128 threads
      accumulate_stages_of_registers(
          accumulators, pipeline, at, piece.steps,
          [&](uint32_t stage, int k, uint32_t(&words)[4]) {
            const uint32_t from = stage + from_a + k * Places::kDepthStepA;
#pragma unroll
            for (int half = 0; half < 2; ++half) {
              uint32_t of_pair[2];
              gpu::sm80::load_shared_8(of_pair, from + half * Places::kPairStepA);
#pragma unroll
              for (int i = 0; i < 2; ++i)
                words[half * 2 + i] = gpu::sm80::rounded_to_tf32(of_pair[i]);
            }
          },
          [&](uint32_t stage, int k, const uint32_t(&words)[4]) {
#pragma unroll
            for (int b = 0; b < kBlocks; ++b)
              gpu::sm90::MultiplyTf32<128>::step(
                  reinterpret_cast<float(&)[64]>(accumulators[b * 64]), words,
                  gpu::sm90::matrix_descriptor(stage + b * Places::kBlockBytes + k * 32));
          });
      write(params, piece, thread, accumulators);
    }
  }

  static __device__ void write(const WgradParams& params, const WgradPieceSums& piece, int thread,
                               const float (&accumulators)[TileN / 2]) {
    // Or all groups' addresses are worked out before the first piece, and registers are short.
    asm volatile("" : "+r"(thread));
    const GradientTile tile = gradient_tile<E>(params, 0, piece.offset, piece.tile, kTileM, TileN);
#pragma unroll
    for (int g = 0; g < Sums::kGroups; ++g) {
      float values[Sums::kGroupSize];
      Sums::get_group(accumulators, g, values);
      if (piece.slice < 0)
        Sums::template write<E>(tile, g, values, thread);
      else
        write_partial_group<Sums>(partial_group<Sums>(params.partials, piece.slice, g, thread),
                                  values);
    }
  }
};

/// Grid: x = blocks of the schedule.
template <class Wgrad, int Stages>
__global__ void __launch_bounds__(Wgrad::kLaunchThreads, 1)
    wgrad_wgmma_tf32_kernel(const __grid_constant__ WgradParams params) {
  __shared__ uint64_t barriers[2 * Stages];  // full, empty
  const typename Wgrad::Pipeline pipeline =
      Wgrad::Pipeline::begin(barriers, Wgrad::kStepThreads, Wgrad::kConsumers);
  gpu::wait_for_earlier_kernels();
  // Through a shuffle, so that the compiler knows it uniform: branches on it then cost nothing.
  const int group = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / Wgrad::kGroup, 0);
  if (group < Wgrad::kProducers) {
    gpu::sm90::give_registers<Wgrad::kProducerRegisters>();
    Wgrad::produce(params, pipeline, group);
  } else {
    gpu::sm90::take_registers<Wgrad::kConsumerRegisters>();
    Wgrad::consume(params, pipeline, group - Wgrad::kProducers);
  }
}

}  // namespace spb::plans
