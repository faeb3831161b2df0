// SPDX-License-Identifier: Apache-2.0
// The kernel of wgrad for sm_90a of tf32 and 3xtf32. wgmma takes tf32 with the depth contiguous
// alone, and here depth is gathered rows. So gathering warps read rows of gout into registers, four
// of them 16 bytes wide, and store them as columns; rows of in are copied as they are, and read
// across by the multiplying warps, whose operand in registers they are. The steps of all pieces of
// a block form one stream; see gather_gemm/wgmma/kernel.cuh.
//
// gw[M, N] = sum over K pairs of gout[K, M] * in[K, N]; S stages (tiles.h). wgmma's rows are N.
//
// grid   x = blocks of the schedule, which each walk their pieces; by programmatic dependent launch
// tile   M = 64 | 128 channels of gout, N = 128 | 256 of in (with two or four slots, 64 of
//        each), K = 32 pairs
//
// role          warps   registers    does
// gather        0-7     64 (smaller  rows of gout of a step into registers, under way until it is
//                       tiles: 120)  stored; cp.async of those of in; indices a step ahead. Of
//                                    tiles smaller than 128 x 256 the two warpgroups take turns,
//                                    each with a step of its own
// multiply 0,1  4 each  192 (136)    wgmma of N / 2 x M; epilogue
// setmaxnreg trades them: the kernel is compiled for 128 registers.
//
// barrier    arrivals    a phase ends when                                  waited for by
// full [S]   256 (128)   each thread that gathers the step has stored, and  multiply
//            + 1 (*)     its copies have landed
// empty [S]  256         each thread of both consumers gave the stage back  gather
// (*) With slots: who says which of them a step has.
//
// shared memory  bytes                    layout (places.h)
// stage [S]      M x 128 + 32 (4 N + 32)  gout: [M][K], of 3xtf32 once for each part; in: [K][N,
//                                         padded]
// barriers       16 S                     static, as is the next line
// slots [S]      4                        bit s: a row of the stage has slot s
#pragma once

#include "gpu/mma/tf32_sm90.cuh"
#include "gpu/mma/tf32x3_sm80.cuh"
#include "kernels/pipeline.cuh"
#include "kernels/wgrad/wgmma/walk.cuh"
#include "kernels/wgrad/wgmma_tf32/places.h"
#include "kernels/wgrad/wgmma_tf32/tile_sums.cuh"

namespace spb::plans {

/// What is read in the place of absent rows: cheaper than not to read.
__device__ const uint4 kWgradZeros = {};

/// With several slots a tile's columns are the 64 input channels of each of the group's offsets,
/// and a row of gout is gathered once for all of them.
template <class E, int TileM, int TileN, int Slots, int Stages>
struct WgradWgmmaTf32 {
  static constexpr int kParts = gpu::sm90::kTf32Parts<E>;
  using Places = WgradTf32Places<TileM, TileN, kParts>;
  using Sums = WgradTf32Sums<TileM, TileN>;
  static constexpr int kTileK = Places::kPairs;
  static constexpr int kProducers = 2, kConsumers = 2, kGroup = 128;
  static constexpr int kLaunchThreads = kGroup * (kProducers + kConsumers);
  static constexpr bool kLarge = TileM * TileN > 128 * 128;
  static constexpr int kProducerRegisters = kLarge ? 64 : 120;
  static constexpr int kConsumerRegisters = 2 * 128 - kProducerRegisters;
  /// More rows are under way where producers take turns, for which large tiles leave no registers.
  static constexpr int kTurns = kLarge ? 1 : kProducers;
  static constexpr int kStepThreads = kGroup * kProducers / kTurns;
  static constexpr int kWarps = kStepThreads / 32;  // that share a step
  static constexpr int kRowStep = kWarps * Places::kWarpPairs;
  static constexpr int kCopies = TileN / 128;  // of a lane, of a pair's row of in
  using Pipeline = StagePipeline<Stages, Places::kTurnedBytes + Places::kCopiedBytes, 1>;
  static constexpr size_t kSharedBytes = Pipeline::kSharedBytes;
  /// A lane walks along so many rows of a step, kRowStep apart, and tells the others: a warp has
  /// four times as many.
  using Step = WgradStep<Slots, kTileK / kRowStep>;
  static constexpr int kRows = Step::kRows;
  /// Of a stage; with slots one more, of who says which of them it holds.
  static constexpr int kFillings = kStepThreads + (Slots > 1 ? 1 : 0);
  /// Of the operand in registers, for one instruction's depth: of a block, and of all.
  static constexpr int kWords = gpu::sm90::kTf32Words<E>, kStepWords = Places::kBlocks * kWords;
  static constexpr uint32_t kAllBlocks = (1u << Places::kBlocks) - 1;
  /// Four rows of gout by four channels; where a row is half a warp's, lanes share rows kRowStep
  /// apart.
  using Square = uint32_t[4][4];
  static constexpr int kHalves = 32 / Places::kRowLanes, kSquares = kRows / kHalves;
  static_assert(kSquares * kHalves == kRows && (Slots == 1 || Slots * 64 == TileN));

  static __device__ void produce(const WgradParams& params, const Pipeline& pipeline,
                                 uint32_t (&stage_slots)[Stages], int producer) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int warp = static_cast<int>(threadIdx.x) / 32 % kWarps;
    const uint32_t to_turned = Places::to_turned(lane, warp + lane / Places::kRowLanes * kWarps);
    const uint32_t to_copied =
        Places::kTurnedBytes + Places::to_copied(lane, warp * Places::kWarpPairs, 0);
    WgradWalk<TileM, TileN, kTileK, Slots, kRowStep, false> walk(
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
    Square squares[kSquares];
    load_gout(params, step, lane, squares);
    while (step.valid) {
      pipeline.wait_empty(at);
      const uint32_t stage = pipeline.stage(at.stage);
      if constexpr (kParts == 2)
        store_parts_turned(squares, stage + to_turned);
      else if (__any_sync(~0u, !store_turned(squares, stage + to_turned)))
        store_turned_rounded(params, step, lane, stage + to_turned);
      load_gout(params, ahead, lane, squares);
      copy_in(params, step, lane, stage + to_copied);
      gpu::sm90::fence_for_multiply();
      pipeline.filled_by_copies(at);
      if (Slots > 1 && threadIdx.x % kStepThreads == 0) {
        stage_slots[at.stage] = step.slots();
        gpu::sm90::arrive(pipeline.full(at.stage));
      }
#pragma unroll
      for (int other = 0; other < kTurns; ++other) at.advance();
      step = ahead;
      next(ahead);
    }
  }

  /// One instruction, unlike products of signed numbers.
  static __device__ const char* row_of(const char* first, int row, int channels) {
    return first + uint64_t{static_cast<uint32_t>(row)} * static_cast<uint32_t>(channels * 4);
  }
  /// Channels behind the last are those of sums that nobody writes: any of the row's will do.
  static __device__ const char* channels_of(const void* operand, int first, int channels) {
    return static_cast<const char*>(operand) + min(first, channels - 4) * 4;
  }
  /// The same row of the four that a half of the warp has, of what its lanes say.
  static __device__ int row_of_four(int mine, int r, int lane) {
    return __shfl_sync(~0u, mine, (lane & 16) + r);
  }

  static __device__ __forceinline__ void copy_in(const WgradParams& params, const Step& step,
                                                 int lane, uint32_t to) {
#pragma unroll
    for (int c = 0; c < kCopies; ++c) {
      if (Slots > 1 && !step.has_slot(2 * c) && !step.has_slot(2 * c + 1)) continue;
      const int channel = c * 128 + lane * 4;
      const char* from =

          channels_of(params.in, Slots > 1 ? channel % 64 : step.ci + channel, params.c_in);
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
        int mine = step.in[i][0];
        if constexpr (Slots > 1) mine = lane < 16 ? step.in[i][2 * c] : step.in[i][2 * c + 1];
#pragma unroll
        for (int r = 0; r < Places::kWarpPairs; ++r) {
          const int row = row_of_four(mine, r, lane);
          gpu::sm80::copy_16_or_zero(to + Places::to_copied(0, i * kRowStep + r, c),
                                     row_of(from, max(row, 0), params.c_in), row >= 0);
        }
      }
    }
  }

  /// Rounds to tf32 as rounded_to_tf32() does, whose third instruction is for NaNs, of which this
  /// makes other values: false where a word is infinite or NaN. Finite values times zero add up to
  /// zero.
  static __device__ __forceinline__ bool store_turned(const Square (&squares)[kSquares],
                                                      uint32_t to) {
    float zero[4] = {};
    store_each(to, [&](int square, int r, int e) {
      const uint32_t word = squares[square][r][e];
      zero[r] = __fmaf_rn(__uint_as_float(word), 0.f, zero[r]);
      return word + gpu::sm80::kHalfOfTf32;
    });
    return zero[0] + zero[1] + zero[2] + zero[3] == 0;
  }

  /// The same of what is read once more, for any words.
  static __device__ void store_turned_rounded(const WgradParams& params, const Step& step, int lane,
                                              uint32_t to) {
    Square squares[kSquares];
    load_gout<false>(params, step, lane, squares);
    store_each(to, [&](int square, int r, int e) {
      return gpu::sm80::rounded_to_tf32(squares[square][r][e]);
    });
  }

  static __device__ __forceinline__ void store_parts_turned(const Square (&squares)[kSquares],
                                                            uint32_t to) {
#pragma unroll
    for (int i = 0; i < kSquares; ++i)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        uint32_t high[4] = {squares[i][0][e], squares[i][1][e], squares[i][2][e], squares[i][3][e]};
        uint32_t low[4];
        gpu::sm80::split(high, low);
        const uint32_t place = place_of(to, i, e);
        gpu::sm80::store_shared_16(place, high);
        gpu::sm80::store_shared_16(place + Places::kPartBytes, low);
      }
  }

  static __device__ uint32_t place_of(uint32_t to, int square, int e) {
    return (to ^ Places::chunk_step(square * kWarps)) + e * Places::kChannelStep;
  }
  template <class Word>
  static __device__ __forceinline__ void store_each(uint32_t to, Word word) {
#pragma unroll
    for (int i = 0; i < kSquares; ++i)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        gpu::sm80::store_shared_16(place_of(to, i, e),
                                   {word(i, 0, e), word(i, 1, e), word(i, 2, e), word(i, 3, e)});
  }

  /// All of a step's at once, after the last store: the hardware counts what loads a warp waits
  /// for, and of counters there are few, so that a store would wait for loads that it has no part
  /// in.
  static __device__ __forceinline__ void load_gout(const WgradParams& params, const Step& step,
                                                   int lane, Square (&squares)[kSquares]) {
    if (!step.valid) return;
    bool present = true;
#pragma unroll
    for (int i = 0; i < kRows; ++i) present = present && row_of_gout(step, i) >= 0;
    if (__all_sync(~0u, present))
      load_gout<true>(params, step, lane, squares);
    else
      load_gout<false>(params, step, lane, squares);
  }

  /// Present: all rows of the warp are.
  template <bool Present>
  static __device__ __forceinline__ void load_gout(const WgradParams& params, const Step& step,
                                                   int lane, Square (&squares)[kSquares]) {
    const char* from =
        channels_of(params.gout, step.co + lane % Places::kRowLanes * 4, params.c_out);
#pragma unroll
    for (int i = 0; i < kSquares; ++i) {
      int mine = row_of_gout(step, i);
      if constexpr (kHalves == 2) mine = lane < 16 ? mine : row_of_gout(step, i + kSquares);
#pragma unroll
      for (int r = 0; r < Places::kWarpPairs; ++r) {
        const int row = row_of_four(mine, r, lane);
        gpu::sm90::load_16(squares[i][r], Present || row >= 0
                                              ? row_of(from, row, params.c_out)
                                              : reinterpret_cast<const char*>(&kWgradZeros));
      }
    }
  }

  /// A row without its input adds nothing, so that gout is not read either; of several slots,
  /// another one may need it.
  static __device__ int row_of_gout(const Step& step, int i) {
    return Slots > 1 || step.in[i][0] >= 0 ? step.out[i] : -1;
  }

  static __device__ void consume(const WgradParams& params, const Pipeline& pipeline,
                                 const uint32_t (&stage_slots)[Stages], int consumer) {
    typename Pipeline::PipelineState at;
    const int last_piece = params.block_pieces[blockIdx.x + 1];
    const int thread = consumer * kGroup + static_cast<int>(threadIdx.x) % kGroup;
    const uint32_t from_copied = Places::kTurnedBytes + Places::from_copied(thread);
    // The next one is on its way while the present one is worked on.
    WgradPieceSums piece{}, ahead = WgradPieceSums::of(params, params.block_pieces[blockIdx.x]);
    for (int p = params.block_pieces[blockIdx.x]; p < last_piece; ++p) {
      piece = ahead;
      if (p + 1 < last_piece) ahead = WgradPieceSums::of(params, p + 1);
      float accumulators[Sums::kSumsOfThread];  // (N / 2, M) of 128 threads
      // Which of the consumer's blocks of 64 columns, of a slot each, a stage has anything for.
      const auto held = [&](int stage) {
        if constexpr (Slots == 1) return kAllBlocks;
        return __shfl_sync(~0u, stage_slots[stage] >> consumer * Places::kBlocks, 0) & kAllBlocks;
      };
      const auto load = [&](uint32_t stage, int k, uint32_t(&words)[kStepWords]) {
        load_words<kAllBlocks>(stage + from_copied, k, words);
      };
      const auto multiply = [&](uint32_t stage, int k, const uint32_t(&words)[kStepWords]) {
        multiply_words<kAllBlocks>(accumulators, stage, k, words);
      };
      if constexpr (kParts == 2)
        accumulate_stages_of_registers_ahead<kStepWords, Places::kBlocks == 2 ? 1 : 2>(
            accumulators, pipeline, at, piece.steps, load, multiply, held);
      else if constexpr (Slots == 1)
        accumulate_stages_of_registers<kStepWords>(accumulators, pipeline, at, piece.steps, load,
                                                   multiply);
      else
        accumulate_one_by_one(accumulators, pipeline, at, piece.steps, [&](int of, uint32_t stage) {
          static_assert(Places::kBlocks == 2);
          const uint32_t blocks = held(of);
          if (blocks == 3) multiply_stage<3>(accumulators, stage, from_copied);
          if (blocks == 1) multiply_stage<1>(accumulators, stage, from_copied);
          if (blocks == 2) multiply_stage<2>(accumulators, stage, from_copied);
        });
      write(params, piece, thread, accumulators);
    }
  }

  template <uint32_t Blocks>
  static __device__ __forceinline__ void multiply_stage(float (&accumulators)[Sums::kSumsOfThread],
                                                        uint32_t stage, uint32_t from_copied) {
    multiply_stage_of_registers<kStepWords>(
        accumulators, stage,
        [&](uint32_t of, int k, uint32_t(&words)[kStepWords]) {
          load_words<Blocks>(of + from_copied, k, words);
        },
        [&](uint32_t of, int k, const uint32_t(&words)[kStepWords]) {
          multiply_words<Blocks>(accumulators, of, k, words);
        });
  }

  template <uint32_t Blocks>
  static __device__ __forceinline__ void load_words(uint32_t copied, int k,
                                                    uint32_t (&words)[kStepWords]) {
    const uint32_t from = copied + k * Places::kDepthStep;
#pragma unroll
    for (int b = 0; b < Places::kBlocks; ++b) {
      if (!(Blocks >> b & 1)) continue;
      auto& of_block = reinterpret_cast<uint32_t(&)[kWords]>(words[b * kWords]);
      load_pair<0>(of_block, from + b * 256);
      load_pair<1>(of_block, from + b * 256);
    }
  }

  template <uint32_t Blocks>
  static __device__ __forceinline__ void multiply_words(float (&accumulators)[Sums::kSumsOfThread],
                                                        uint32_t stage, int k,
                                                        const uint32_t (&words)[kStepWords]) {
#pragma unroll
    for (int b = 0; b < Places::kBlocks; ++b)
      if (Blocks >> b & 1)
        gpu::sm90::multiply_tf32<E, TileM>(
            reinterpret_cast<float(&)[TileM / 2]>(accumulators[b * (TileM / 2)]),
            reinterpret_cast<const uint32_t(&)[kWords]>(words[b * kWords]), stage + k * 32,
            Places::kPartBytes);
  }

  /// Both channels of in of one pair, or of the one four further.
  template <int Half>
  static __device__ __forceinline__ void load_pair(uint32_t (&words)[kWords], uint32_t from) {
    auto& pair = reinterpret_cast<uint32_t(&)[2]>(words[Half * 2]);
    gpu::sm80::load_shared_8(pair, from + Half * Places::kPairStep);
    if constexpr (kParts == 2)
      gpu::sm80::split(pair, reinterpret_cast<uint32_t(&)[2]>(words[4 + Half * 2]));
    else
      for (uint32_t& word : pair) word = gpu::sm80::rounded_to_tf32(word);
  }

  static __device__ void write(const WgradParams& params, const WgradPieceSums& piece, int thread,
                               const float (&accumulators)[Sums::kSumsOfThread]) {
    // Or all groups' addresses are worked out before the first piece, and registers are short.
    asm volatile("" : "+r"(thread));
    const GradientTile tile =
        gradient_tile<E, Slots>(params, 0, piece.offset, piece.tile, TileM, TileN);
#pragma unroll
    for (int g = 0; g < Sums::kGroups; ++g) {
      float values[Sums::kGroupSize];
      Sums::get_group(accumulators, g, values);
      write_group<E, Sums>(params, tile, piece.slice, g, values, thread);
    }
  }
};

/// Grid: x = blocks of the schedule.
template <class Wgrad, int Stages>
__global__ void __launch_bounds__(Wgrad::kLaunchThreads, 1)
    wgrad_wgmma_tf32_kernel(const __grid_constant__ WgradParams params) {
  __shared__ uint64_t barriers[2 * Stages];  // full, empty
  __shared__ uint32_t stage_slots[Stages];
  const typename Wgrad::Pipeline pipeline =
      Wgrad::Pipeline::begin(barriers, Wgrad::kFillings, Wgrad::kConsumers);
  gpu::wait_for_earlier_kernels();
  // Through a shuffle, so that the compiler knows it uniform: branches on it then cost nothing.
  const int group = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / Wgrad::kGroup, 0);
  if (group < Wgrad::kProducers) {
    gpu::sm90::give_registers<Wgrad::kProducerRegisters>();
    Wgrad::produce(params, pipeline, stage_slots, group);
  } else {
    gpu::sm90::take_registers<Wgrad::kConsumerRegisters>();
    Wgrad::consume(params, pipeline, stage_slots, group - Wgrad::kProducers);
  }
}

}  // namespace spb::plans
