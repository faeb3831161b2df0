// SPDX-License-Identifier: Apache-2.0
// The kernel of wgrad for sm_90a: one or two producer warpgroups gather the rows of both operands
// into a pipeline of stages, two consumer warpgroups multiply. K runs over gathered rows, so that
// both operands are MN-major in shared memory, which wgmma takes for 16-bit elements. The steps of
// all pieces of a block form one stream; see gather_gemm/wgmma/kernel.cuh.
//
// gw[M, N] = sum over K pairs of gout[K, M] * in[K, N]; S stages (tiles.h).
//
// grid   x = blocks of the schedule, which each walk their pieces; by programmatic dependent launch
// tile   M = 64 | 128 channels of gout, N = 128 | 256 of in (with slots, c_in of each), K = 64
//        pairs
//
// role          warps   registers       does
// gather        4 each  96 (128 x 256:  cp.async of a step's 64 rows of gout and in, 8 threads a
//                       64; one: 104)   row; two take turns, each with a step of its own; indices
//                                       of its next two steps are on their way (one: three)
// multiply 0,1  4 each  160 (192; 200)  wgmma of 64 x N (M = 64: of 64 x N / 2); epilogue
// setmaxnreg trades them: kernels are compiled for 128 registers, with one gather for 168. Two pay
// where units have many steps.
//
// barrier      arrivals  a phase ends when                             waited for by
// full [S]     128 (*)   the copies of all threads of a gather landed  multiply
// empty [S]    2 (*)     thread 0 of each consumer gave the stage back gather
// ping-pong[2] 1         the other consumer ended its multiplies       multiply, in short pieces
// (*) With slots 129, one of who says which of them a step has, and 8, lane 0 of each warp.
//
// shared memory   bytes               layout
// stage [S]       (M + N) / 64 x 8192 blocks of [K][64 channels]: of gout, then of in, by slots;
//                                     chunk c of 16 bytes of row k lies at c ^ (k % 8)
// output          8 x 2304            per warp 16 rows of 64 columns on their way to whole lines
// barriers        16 S + 16           static, as is the next line
// slots [S]       4                   bit s: a row of the stage has slot s; what no row has is
//                                     neither copied nor multiplied
#pragma once

#include "gpu/mma/sm80.cuh"
#include "kernels/pipeline.cuh"
#include "kernels/wgrad/sm80/tiles.cuh"
#include "kernels/wgrad/wgmma/output.cuh"
#include "kernels/wgrad/wgmma/walk.cuh"

namespace spb::plans {

/// With Slots > 1 a tile's columns are the TileN / Slots input channels of each of the group's
/// offsets, and a row of gout is gathered once for all of them. Of `Producers` warpgroups.
template <class E, int TileM, int TileN, int Slots, int Stages, int Producers>
struct WgradWgmma {
  static constexpr int kTileM = TileM, kTileN = TileN, kTileK = 64;
  static constexpr int kConsumers = 2, kGroup = 128;
  static constexpr int kProducers = Producers;
  static constexpr int kLaunchThreads = kGroup * (kProducers + kConsumers);
  // Of a thread: together what the block is launched with, 168 x 384 or 128 x 512.
  static constexpr int kProducerRegisters =
      Producers == 1 ? 104 : (TileM * TileN > 128 * 128 ? 64 : 96);
  static constexpr int kConsumerRegisters = Producers == 1 ? 200 : 2 * 128 - kProducerRegisters;
  static constexpr int kBlock = 64;                        // channels of a swizzled row
  static constexpr int kBlockBytes = kTileK * kBlock * 2;  // of all rows' 64 channels
  static constexpr int kBlocksM = TileM / kBlock, kBlocksN = TileN / kBlock;
  static constexpr int kSlotBlocks = kBlocksN / Slots;
  static constexpr int kStageBytes = (kBlocksM + kBlocksN) * kBlockBytes;
  /// Of several slots a consumer may have none to multiply in a step, and its warps may drift.
  using Pipeline = StagePipeline<Stages, kStageBytes, Slots == 1 ? kGroup : 32>;
  /// Of a stage; with slots one more, of who says which of them it holds.
  static constexpr int kFillings = kGroup + (Slots > 1 ? 1 : 0);
  static constexpr int kRowStep = kGroup / 8;  // eight threads copy a row
  using Step = WgradStep<Slots, kTileK / kRowStep>;
  static constexpr int kRows = Step::kRows;
  // Consumers share the rows of a tile, or, of one with 64 rows, its columns.
  static constexpr int kConsumersM = kBlocksM, kConsumersN = kConsumers / kConsumersM;
  static constexpr int kConsumerN = TileN / kConsumersN;
  /// Of an instruction: a slot's, if there are several. Of 256 columns the compiler takes none in a
  /// kernel of 128 registers.
  static constexpr int kPartN = Slots > 1 ? TileN / Slots
                                          : (kConsumerN > 128 && Producers > 1 ? 128 : kConsumerN);
  static constexpr int kParts = kConsumerN / kPartN;
  using Atom = std::conditional_t<E::dtype == Dtype::bf16, gpu::sm80::AtomBF16, gpu::sm80::AtomF16>;
  /// Only its layout of sums and its write() are used: wgmma's sums lie as those of four warps of
  /// one 16-row mma.sync, so that wgrad_sum_kernel serves both. Its depth and stages do not matter.
  using SumLayout = WgradMma<Atom, 4 * kConsumersM, kConsumersN, 16, kConsumerN, kTileK, Stages, 1>;
  using Storage = typename E::Storage;
  using Output = WgmmaGradientOutput<E, kConsumerN>;
  static constexpr size_t kSharedBytes =
      Pipeline::kSharedBytes + kConsumers * kGroup / 32 * Output::kWarpBytes;
  static_assert(sizeof(Storage) == 2 && kRows * kRowStep == kTileK && kBlocksN % Slots == 0);
  static_assert(kConsumersM == 1 || kConsumersM == 2);
  /// Steps of a producer whose row indices are under way: a step of multiplies is shorter than a
  /// read.
  static constexpr int kAhead = Producers == 1 ? 3 : 2;

  static __device__ void produce(const WgradParams& params, const Pipeline& pipeline,
                                 uint32_t (&stage_slots)[Stages], int producer) {
    const int thread = static_cast<int>(threadIdx.x) % kGroup;
    const int chunk = thread % 8, row = thread / 8;
    const uint32_t own = gpu::sm80::swizzled_128(row, chunk);
    typename Pipeline::PipelineState at;
    WgradWalk<TileM, TileN, kTileK, Slots, kRowStep, Slots <= 2> walk(params, row);
    for (int other = 0; other < producer; ++other) {
      walk.pass();
      at.advance();
    }
    const auto next = [&](Step& step) {
      walk.next(step);
#pragma unroll
      for (int other = 1; other < kProducers; ++other) walk.pass();
    };
    Step steps[kAhead];
#pragma unroll
    for (Step& step : steps) next(step);
    while (true) {
#pragma unroll
      for (Step& step : steps) {
        if (!step.valid) return;
        pipeline.wait_empty(at);
        if (step.whole)
          copy_rows<true>(params, step, chunk, pipeline.stage(at.stage) + own);
        else
          copy_rows<false>(params, step, chunk, pipeline.stage(at.stage) + own);
        pipeline.filled_by_copies(at);
        if (Slots > 1 && thread == 0) {
          stage_slots[at.stage] = step.slots();
          gpu::sm90::arrive(pipeline.full(at.stage));
        }
#pragma unroll
        for (int turn = 0; turn < kProducers; ++turn) at.advance();
        next(step);
      }
    }
  }

  /// One instruction, unlike products of signed numbers: what producers compute is the
  /// bottleneck where channels are few. Row 0 for an absent one, which is not read.
  static __device__ const char* row_of(const char* first, int row, int channels) {
    const auto pitch = static_cast<uint32_t>(channels * int{sizeof(Storage)});
    return first + uint64_t{static_cast<uint32_t>(max(row, 0))} * pitch;
  }

  template <bool Whole>
  static __device__ void copy_rows(const WgradParams& params, const Step& step, int chunk,
                                   uint32_t to) {
    const int co = step.co + chunk * 8, ci = step.ci + chunk * 8;
    const char* gout = static_cast<const char*>(params.gout) + co * sizeof(Storage);  // [*, c_out]
    const char* in = static_cast<const char*>(params.in) + ci * sizeof(Storage);      // [*, c_in]
    constexpr int kColumnBytes = kBlock * sizeof(Storage);
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      // A row without its input adds nothing, so that gout is not read either; of several slots,
      // another one may need it.
      const bool present = Slots > 1 ? step.out[i] >= 0 : step.in[i][0] >= 0;
      const char* gout_row = row_of(gout, step.out[i], params.c_out);
#pragma unroll
      for (int b = 0; b < kBlocksM; ++b)
        gpu::sm80::copy_16_or_zero(to + i * kRowStep * 128 + b * kBlockBytes,
                                   gout_row + b * kColumnBytes,
                                   present && (Whole || co + b * kBlock < params.c_out));
    }
    const uint32_t slots = Slots > 1 ? __shfl_sync(~0u, step.slots(), 0) : 1;
#pragma unroll
    for (int s = 0; s < Slots; ++s) {
      if (Slots > 1 && !(slots >> s & 1)) continue;  // nobody multiplies what lies there
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
        const char* in_row = row_of(in, step.in[i][s], params.c_in);
#pragma unroll
        for (int b = 0; b < kSlotBlocks; ++b)
          gpu::sm80::copy_16_or_zero(
              to + i * kRowStep * 128 + (kBlocksM + s * kSlotBlocks + b) * kBlockBytes,
              in_row + b * kColumnBytes,
              step.in[i][s] >= 0 && (Whole || ci + b * kBlock < params.c_in));
      }
    }
  }

  /// The ping-pong barriers. Consumers multiply pieces of few steps in turns: one stores its sums
  /// while the other has the tensor cores. Together they would do both at the same times.
  class PingPong {
   public:
    /// With two barriers in shared memory, initialized for one arrival.
    __device__ PingPong(uint32_t barriers, int consumer)
        : mine_(barriers + consumer * 8),
          others_(barriers + (consumer ^ 1) * 8),
          parity_(consumer ^ 1) {}
    /// Only pieces of fewer steps than stages: until its turn the other consumer releases none, so
    /// that all of the piece's stages stay taken, and one must be left for the next piece's copies.
    /// Pieces without steps take no turn: without multiplies the warps of a consumer may drift, and
    /// a warp two turns behind would wait for a phase that has gone by. Consumer 0 goes first: its
    /// wait for parity 1 passes on a new barrier.
    static __device__ bool taken_for(int steps) { return steps > 0 && steps < Stages; }
    __device__ void begin() {
      gpu::sm90::wait_barrier(mine_, parity_);
      parity_ ^= 1;
    }
    __device__ void end() const {
      if (threadIdx.x % kGroup == 0) gpu::sm90::arrive(others_);
    }

   private:
    uint32_t mine_, others_, parity_;
  };

  static __device__ void consume(const WgradParams& params, const Pipeline& pipeline,
                                 uint32_t ping_pong_barriers, const uint32_t (&stage_slots)[Stages],
                                 int consumer) {
    typename Pipeline::PipelineState at;
    PingPong ping_pong(ping_pong_barriers, consumer);
    const uint32_t from_a = consumer / kConsumersN * kBlockBytes;
    const uint32_t from_b =
        (kBlocksM + consumer % kConsumersN * (kConsumerN / kBlock)) * kBlockBytes;
    const int last_piece = params.block_pieces[blockIdx.x + 1];
    // The next one is on its way while the present one is worked on.
    WgradPieceSums piece{}, ahead = WgradPieceSums::of(params, params.block_pieces[blockIdx.x]);
    for (int p = params.block_pieces[blockIdx.x]; p < last_piece; ++p) {
      piece = ahead;
      if (p + 1 < last_piece) ahead = WgradPieceSums::of(params, p + 1);
      float accumulators[kConsumerN / 2];  // (64, kConsumerN) of 128 threads
      const bool is_ping_pong = PingPong::taken_for(__shfl_sync(~0u, piece.steps, 0));
      if (is_ping_pong) ping_pong.begin();
      if constexpr (Slots == 1)
        accumulate_stages(accumulators, pipeline, at, piece.steps, [&](uint32_t stage) {
#pragma unroll
          for (int part = 0; part < kParts; ++part)
            multiply(accumulators, part, stage + from_a, stage + from_b);
        });
      else
        accumulate_overlapped(accumulators, pipeline, at, piece.steps, [&](int of) {
          // Who gives the stage back has read it, for the others of its warp.
          uint32_t held = 0;
          if (threadIdx.x % 32 == 0) held = stage_slots[of] >> (consumer % kConsumersN * kParts);
          const uint32_t stage = pipeline.stage(of);
          multiply_parts(accumulators, __shfl_sync(~0u, held, 0) & 3, stage + from_a,
                         stage + from_b);
        });
      if (is_ping_pong) {
        // A consumer that had nothing to multiply may have warps whose turn has not yet begun.
        if (Slots > kParts) gpu::sm90::meet(1 + consumer, kGroup);
        ping_pong.end();
      }
      write(params, piece, pipeline, consumer, accumulators);
    }
  }

  /// Of the parts whose bits are set. Each way ends in a group of its own: the compiler does not
  /// let multiplies of a way that was perhaps not taken be waited for a step later.
  static __device__ __forceinline__ void multiply_parts(float (&accumulators)[kConsumerN / 2],
                                                        uint32_t parts, uint32_t a, uint32_t b) {
    static_assert(Slots == 1 || kParts == 2);
    const auto end = [] {
      gpu::sm90::commit_multiplies();
      gpu::sm90::wait_multiplies<1>();
    };
    gpu::sm90::fence_for_multiply();
    gpu::sm90::begin_multiplies();
    if (parts == 3) {
      multiply(accumulators, 0, a, b);
      multiply(accumulators, 1, a, b);
      end();
    } else if (parts == 1) {
      multiply(accumulators, 0, a, b);
      end();
    } else if (parts == 2) {
      multiply(accumulators, 1, a, b);
      end();
    } else {
      end();
    }
  }

  /// Adds the products of a part of the consumer's columns.
  static __device__ __forceinline__ void multiply(float (&accumulators)[kConsumerN / 2], int part,
                                                  uint32_t a, uint32_t b) {
    auto& sums = reinterpret_cast<float(&)[kPartN / 2]>(accumulators[part * (kPartN / 2)]);
    b += part * (kPartN / kBlock) * kBlockBytes;
#pragma unroll
    for (int k = 0; k < kTileK / 16; ++k)
      gpu::sm90::Multiply<E::dtype == Dtype::bf16, kPartN, 1, 1>::step(
          sums, gpu::sm90::matrix_descriptor(a + k * 16 * 128, kBlockBytes),
          gpu::sm90::matrix_descriptor(b + k * 16 * 128, kBlockBytes));
  }

  static __device__ void write(const WgradParams& params, const WgradPieceSums& piece,
                               const Pipeline& pipeline, int consumer,
                               const float (&accumulators)[kConsumerN / 2]) {
    const int warp = static_cast<int>(threadIdx.x) % kGroup / 32;
    const int warp_m = consumer / kConsumersN * 4 + warp, warp_n = consumer % kConsumersN;
    const GradientTile tile =
        gradient_tile<E, Slots>(params, 0, piece.offset, piece.tile, TileM, TileN);
    if (piece.slice < 0 && takes_vectors<E>(tile)) {
      // Output buffers follow the last stage.
      const uint32_t shared = pipeline.stage(Stages) + (consumer * 4 + warp) * Output::kWarpBytes;
      Output::write(tile, warp_m * Output::kRows, warp_n * kConsumerN, shared, accumulators);
      return;
    }
    // The thread of SumLayout that holds what this one holds.
    const int thread = (warp_m * kConsumersN + warp_n) * 32 + static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int g = 0; g < SumLayout::kGroups; ++g) {
      float values[SumLayout::kGroupSize];
#pragma unroll
      for (int v = 0; v < SumLayout::kGroupSize; ++v)
        values[v] = accumulators[g * SumLayout::kGroupSize + v];
      write_group<E, SumLayout>(params, tile, piece.slice, g, values, thread);
    }
  }
};

/// Grid: x = blocks of the schedule.
template <class Wgrad, int Stages>
__global__ void __launch_bounds__(Wgrad::kLaunchThreads, 1)
    wgrad_wgmma_kernel(const __grid_constant__ WgradParams params) {
  __shared__ uint64_t barriers[2 * Stages], ping_pong_barriers[2];  // full, empty; of each consumer
  __shared__ uint32_t stage_slots[Stages];
  const uint32_t ping_pong = gpu::sm80::shared_address(ping_pong_barriers);
  // Published by the __syncthreads() at the end of Pipeline::begin().
  if (threadIdx.x < 2) gpu::sm90::init_barrier(ping_pong + threadIdx.x * 8, 1);
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
    Wgrad::consume(params, pipeline, ping_pong, stage_slots, group - Wgrad::kProducers);
  }
}

}  // namespace spb::plans
