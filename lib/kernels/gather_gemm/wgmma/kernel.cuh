// SPDX-License-Identifier: Apache-2.0
// The tile of fprop and dgrad for sm_90a: persistent blocks whose warpgroups have different work.
//
// A producer warpgroup gathers rows of A into a pipeline of stages, TMA brings the weights, two
// consumer warpgroups multiply 64 rows each of the same tile ("cooperative" in CUTLASS, no
// ping-pong). The pipeline runs on over offsets and over tiles, so that the next tile's loads
// overlap the epilogue. Follows the warp-specialized scheme of CUTLASS and FlashAttention-3 (Shah
// et al., 2024), with a gather in the place of TMA boxes.
//
// out[M, N] = sum over the offsets that a tile lists of A[M, K] * B[N, K]; S stages (wgmma.h).
// Weights lie as [c_out, offset, c_in]: K-major for fprop, MN-major (Transposed) for dgrad.
//
// grid   x = blocks that stay: those of a static schedule, else up to one per multiprocessor, two
//        where N = 64 and elements have 16 bits. Cooperative where segments add up in order; else
//        by programmatic dependent launch, but not with two blocks.
// tile   M = 128 rows, N = 64 | 128 | 256 columns, K = 128 bytes: 64 elements, of tf32 32, of
//        bytes 128, or 64 in rows of 64 bytes, which then stand for 128 below
//
// role          warps      registers  does
// gather A      0-3        104 (*)    cp.async of 128 gathered rows a stage, 8 threads a row
// multiply 0,1  4-7, 8-11  200 (*)    wgmma of 64 rows each, then their epilogue
// weights B     12, lane 0            TMA boxes of the weights; asks for the block's work tiles
// (*) setmaxnreg, where N = 256, or 128 that are promoted: 104 x 128 + 200 x 256 = 168 x 384, what
// the block is launched with.
//     No 13th warp fits there, and thread 0 does its work. Other kernels keep the registers that
//     they are compiled for (f16: 124 a thread where N = 128, 71 where N = 64).
//
// barrier          arrivals     a phase ends when                         waited for by
// full [S]         128 + 1      the copies of all gather threads landed   multiply
//                               and N x 128 (**) bytes of weights came, of
//                               a residual none
// empty [S]        2            thread 0 of each consumer (tf32: every    gather, weights
//                  (tf32: 256)  thread of both) gave the stage back
// tile full [4]    1            a work tile's copy landed, or the end     every warp of every role
//                               came
// tile empty [4]   13 (12)      lane 0 of every warp has read the tile    weights
// semaphores, in   8 per row    the segment before has added up           multiply
// memory           tile         all its rows of the column tile
//
// shared memory   bytes         layout
// stage [S] of A  128 x 128     a row of K; its chunk c of 16 bytes lies at c ^ (row % 8), of
//                               64-byte rows at c ^ (row / 2 % 4). Row r is position
//                               r % 16 * 8 + r / 16 of the tile (tile_rows.cuh says why)
//        and B    N x 128 (**)  a row of K for each column, or, Transposed, N / 64 blocks of [K][64
//                               columns]; the same swizzle
// barriers        16 S          static, as is the next line
// work tiles      4 x (16 + 16)
// (**) 3xtf32: of the high parts, and the same again of the low ones.
#pragma once

#include <type_traits>

#include "kernels/gather_gemm/wgmma/multiply.cuh"
#include "kernels/gather_gemm/wgmma/output.cuh"
#include "kernels/gather_gemm/wgmma/residual.cuh"
#include "kernels/gather_gemm/wgmma/work_tiles.cuh"
#include "kernels/pipeline.cuh"

namespace spb::plans {

/// E: gpu::F16, gpu::BF16 or, not Transposed, gpu::TF32, gpu::TF32x3 and those of bytes, whose
/// multiplies take weights in order of depth alone. Those of tf32 drop the bits that they ignore:
/// weights come prepared (weights.h), rows are rounded, or split into their parts, on their way
/// through the consumers' registers.
/// WithResidual: an instance of its own, so that launches without one pay nothing (residual.cuh).
/// Those of bytes have none: theirs is scaled with the sums.
/// Promotes: the tensor core's sums of each stage are added up in fp32 (Arithmetic::sum_bits).
/// RowBytes: 128, or of those of bytes 64, for so many channels and fewer.
template <class E, bool Transposed, int TileN, int RowBytes, int Stages, bool WithResidual,
          bool Promotes>
struct WgmmaRows {
  static constexpr bool kTf32 = gpu::is_tf32<E>, kBytes = gpu::is_scaled<E>;
  using Sum = typename E::Sum;
  static constexpr int kElementBytes = sizeof(typename E::Storage), kRowBytes = RowBytes;
  static constexpr int kTileM = kWgmmaTileM, kTileK = kRowBytes / kElementBytes;
  static constexpr int kConsumers = kWgmmaConsumers, kGroup = kWgmmaGroup;
  /// Of the weights, as prepared: of each a tile of its own.
  static constexpr int kParts = kTf32 ? gpu::sm90::kTf32Parts<E> : 1;
  static constexpr int kBytesA = kTileM * kRowBytes, kPartBytesB = TileN * kRowBytes;
  static constexpr int kBytesB = kParts * kPartBytesB;
  static_assert(!((kTf32 || kBytes) && Transposed) && !(WithResidual && Transposed));
  static_assert(kRowBytes == 128 || (kRowBytes == 64 && kBytes));
  using Multiplies = WgmmaMultiplies<E, Transposed, TileN, kRowBytes, Promotes>;
  // 13 warps may have 128 registers each, too few for these sums.
  static constexpr bool kWeightWarp = Multiplies::kSumsOfThread < 128;
  static constexpr int kThreads = kGroup * (1 + kConsumers) + (kWeightWarp ? 32 : 0);
  using Pipeline = StagePipeline<Stages, kBytesA + kBytesB, kTf32 ? 1 : 128>;
  using Output = WgmmaRowOutput<E, TileN, kRowBytes, WithResidual>;
  using Residual = WgmmaResidual<E, TileN, Pipeline>;
  using TileRows = WgmmaTileRows<kRowBytes>;
  static constexpr int kRowsPerThread = TileRows::kPerThread;
  using RowIndices = WgmmaRowIndices<kRowsPerThread>;

  static __device__ void copy_weights(const Pipeline& pipeline, int stage,
                                      const CUtensorMap* weights, int k, int offset, int volume,
                                      int column0) {
    const uint32_t barrier = pipeline.full(stage), to = pipeline.stage(stage) + kBytesA;
    gpu::sm90::arrive_expecting(barrier, kBytesB);
    if constexpr (Transposed) {
      constexpr int kBlock = 64;
#pragma unroll
      for (int block = 0; block < TileN / kBlock; ++block)
        gpu::sm90::copy_box(to + block * kTileK * kRowBytes, weights, barrier,
                            column0 + block * kBlock, offset, k);
    } else {
#pragma unroll
      for (int part = 0; part < kParts; ++part)
        gpu::sm90::copy_box(to + part * kPartBytesB, weights, barrier, k, part * volume + offset,
                            column0);
    }
  }

  static __device__ int weight_offset(const GatherGemmParams& params, int offset) {
    return params.mirrored ? params.kernel_volume - 1 - offset : offset;
  }

  /// The depth steps of one listed offset of one work tile: all gather the same rows, and each
  /// fills a stage. Behind them may come those of the residual, without weights. A work tile
  /// without any offset makes an empty one all the same: skipping it, who asks for work tiles could
  /// wait for a slot of the ring that consumers free only after stages which are not filled yet.
  /// With one at least of each work tile it looks kKnown - 1 tiles ahead and asks for one more,
  /// which the ring must hold.
  struct OffsetSteps {
    static constexpr uint32_t kResidual = ~0u;
    uint32_t entry = 0;
    int depth_step = 0, end = 0, column0 = 0;
    __device__ bool is_empty() const { return depth_step >= end; }
    __device__ bool is_last() const { return end < 0; }
    __device__ bool of_residual() const { return WithResidual && entry == kResidual; }
  };
  /// Those of all listed offsets of the block's work tiles. `request_tile`() is called for each
  /// work tile that is taken but the first.
  template <bool WholeWarp, class RequestTile>
  class OffsetWalk {
   public:
    __device__ OffsetWalk(const GatherGemmParams& params, const WorkTileRing& ring,
                          RequestTile request_tile)
        : params_(params),
          depth_steps_((params.k + kTileK - 1) / kTileK),
          work_tiles_(ring),
          request_(request_tile) {
      begin();
    }
    /// Behind the others comes an empty one that is_last().
    __device__ OffsetSteps next() {
      if (left_ == 0 && !fresh_) {
        if (residual_due_) {
          residual_due_ = false;
          const int column0 = work_tiles_->column_tile() * TileN;
          return {OffsetSteps::kResidual, 0, Residual::steps(params_, column0), column0};
        }
        work_tiles_.next();
        request_();
        begin();
      }
      if (!work_tiles_.valid()) return {0, 0, -1, 0};
      fresh_ = false;
      const int steps = min(left_, depth_steps_ - depth_step_);
      const OffsetSteps taken{entry_, depth_step_, depth_step_ + steps,
                              work_tiles_->column_tile() * TileN};
      left_ -= steps;
      depth_step_ = 0;
      ++entry_;
      return taken;
    }
    /// Of what next() returned last.
    __device__ const WorkTile& work_tile() const { return *work_tiles_; }

   private:
    __device__ void begin() {
      fresh_ = true;
      residual_due_ =
          WithResidual && work_tiles_.valid() && Output::is_complete(params_, *work_tiles_);
      left_ = work_tiles_.valid() ? work_tiles_->steps() : 0;
      entry_ = work_tiles_->entry;
      depth_step_ = work_tiles_->first_depth_step();
    }
    const GatherGemmParams& params_;
    const int depth_steps_;
    WorkTiles<WholeWarp> work_tiles_;
    RequestTile request_;
    uint32_t entry_;
    int left_, depth_step_;
    bool fresh_;  // its first listed offset is still to come
    bool residual_due_ = false;
  };

  /// Fills the next stage with a part of each row from column `k` of `columns` on. `source`: the
  /// thread's chunk of row 0.
  static __device__ void copy_rows(const Pipeline& pipeline, typename Pipeline::PipelineState& at,
                                   const RowIndices& rows, const char* source, uint32_t pitch,
                                   int columns, int k) {
    const int thread = static_cast<int>(threadIdx.x), chunk = thread % TileRows::kChunks;
    const bool inside = k + chunk * (16 / kElementBytes) < columns;
    const char* from = source + (inside ? k * kElementBytes : 0);
    // An opaque copy, so that the compiler does not move the products row * pitch out of the loop:
    // kept, they would take the registers of the rows that are ahead; made anew they are one
    // instruction a row.
    asm volatile("" : "+r"(pitch));
    const int shared_row = thread / TileRows::kChunks;
    const uint32_t to = pipeline.stage(at.stage) + shared_row * kRowBytes +
                        gpu::sm80::swizzled(shared_row, chunk, TileRows::kChunks) * 16;
#pragma unroll
    for (int j = 0; j < kRowsPerThread; ++j) {
      const int row = rows.row[j];
      gpu::sm80::copy_16_or_zero(to + j * TileRows::kAtATime * kRowBytes,
                                 from + uint64_t{static_cast<uint32_t>(max(row, 0))} * pitch,
                                 row >= 0 && inside);
    }
    pipeline.filled_by_copies(at);
    at.advance();
  }

  /// The listed offset that is loaded and two ahead have registers, which take turns: pass(i), i a
  /// constant, until one returns false. A move from a register whose load is under way would wait
  /// for it. The first two passes look ahead alone: what is listed begins empty.
  static constexpr int kKnown = 3;
  static_assert(WorkTileRing::kSlots >= kKnown);
  template <class Pass>
  static __device__ void in_turns(Pass pass) {
    for (;;) {
      if (!pass(std::integral_constant<int, 0>())) return;
      if (!pass(std::integral_constant<int, 1>())) return;
      if (!pass(std::integral_constant<int, 2>())) return;
    }
  }

  template <class RequestTile>
  static __device__ void produce(const GatherGemmParams& params, const CUtensorMap* weights,
                                 const Pipeline& pipeline, const WorkTileRing& work_tile_ring,
                                 RequestTile request_tile) {
    const int thread = static_cast<int>(threadIdx.x);
    const int chunk = thread % TileRows::kChunks, first_row = thread / TileRows::kChunks;
    const char* features = static_cast<const char*>(params.source) + chunk * 16;  // [*, K of all]
    const char* residual = static_cast<const char*>(params.epilogue.residual) + chunk * 16;
    const int32_t* index = params.tile_index + TileRows::position_of(first_row);  // [listed, M]
    typename Pipeline::PipelineState at;
    OffsetWalk<true, RequestTile> walk(params, work_tile_ring, request_tile);
    OffsetSteps listed[kKnown];
    RowIndices rows[kKnown];
    int offset[kKnown];
    const auto look_ahead = [&](int i) {
      listed[i] = walk.next();
      if (listed[i].is_empty()) return;
      if (listed[i].of_residual())
        return rows[i].load_own(params, walk.work_tile(), TileRows::position_of(first_row));
      rows[i].load(index, listed[i].entry);
      if constexpr (!kWeightWarp) offset[i] = params.listed[listed[i].entry];
    };
    in_turns([&]<int I>(std::integral_constant<int, I>) {
      look_ahead((I + kKnown - 1) % kKnown);
      const OffsetSteps& steps = listed[I];
      if (steps.is_last()) return false;
      const bool own = steps.of_residual();
      const char* source = own ? residual + steps.column0 * kElementBytes : features;
      const int columns = own ? params.n - steps.column0 : params.k;
      const auto pitch = static_cast<uint32_t>((own ? params.n : params.k) * kElementBytes);
      for (int step = steps.depth_step; step < steps.end; ++step) {
        const int k = step * kTileK;
        pipeline.wait_empty(at);
        if (!kWeightWarp && thread == 0) {
          if (own)
            gpu::sm90::arrive(pipeline.full(at.stage));
          else
            copy_weights(pipeline, at.stage, weights, k, weight_offset(params, offset[I]),
                         params.kernel_volume, steps.column0);
        }
        copy_rows(pipeline, at, rows[I], source, pitch, columns, k);
      }
      // The newest are known by now, and copied the pass after the next.
      constexpr int kNewest = (I + kKnown - 1) % kKnown;
      if (listed[kNewest].of_residual())
        Residual::fetch(params, listed[kNewest].column0, rows[kNewest].row);
      return true;
    });
  }

  /// The weight warp: one thread of it.
  template <class RequestTile>
  static __device__ void produce_weights(const GatherGemmParams& params, const CUtensorMap* weights,
                                         const Pipeline& pipeline,
                                         const WorkTileRing& work_tile_ring,
                                         RequestTile request_tile) {
    typename Pipeline::PipelineState at;
    OffsetWalk<false, RequestTile> walk(params, work_tile_ring, request_tile);
    OffsetSteps listed[kKnown];
    int offset[kKnown];
    const auto look_ahead = [&](int i) {
      listed[i] = walk.next();
      if (!listed[i].is_empty() && !listed[i].of_residual())
        offset[i] = params.listed[listed[i].entry];
    };
    in_turns([&]<int I>(std::integral_constant<int, I>) {
      look_ahead((I + kKnown - 1) % kKnown);
      const OffsetSteps& steps = listed[I];
      if (steps.is_last()) return false;
#pragma unroll 1
      for (int step = steps.depth_step; step < steps.end; ++step) {
        pipeline.wait_empty(at);
        if (steps.of_residual())
          gpu::sm90::arrive(pipeline.full(at.stage));
        else
          copy_weights(pipeline, at.stage, weights, step * kTileK, weight_offset(params, offset[I]),
                       params.kernel_volume, steps.column0);
        at.advance();
      }
      return true;
    });
  }

  static __device__ void consume(const GatherGemmParams& params, const Pipeline& pipeline,
                                 const WorkTileRing& work_tile_ring, int consumer) {
    typename Pipeline::PipelineState at;
    for (WorkTiles<true> work_tiles(work_tile_ring); work_tiles.valid(); work_tiles.next()) {
      const typename Output::OwnRows rows(params, *work_tiles, consumer);
      Sum accumulators[TileN / 2];  // (64, TileN) of 128 threads
      Multiplies::sum(accumulators, pipeline, at, work_tiles->steps(), consumer);
      if constexpr (WithResidual)
        if (Output::is_complete(params, *work_tiles))
          Residual::add(params, work_tiles->column_tile() * TileN, accumulators, pipeline, at,
                        consumer);
      Output::write(params, *work_tiles, rows, accumulators);
    }
  }
};

template <class Rows, int BlocksPerMultiprocessor, int Stages>
__global__ void __launch_bounds__(Rows::kThreads, BlocksPerMultiprocessor)
    wgmma_rows_kernel(const __grid_constant__ CUtensorMap weights,
                      const __grid_constant__ GatherGemmParams params) {
  __shared__ uint64_t barriers[2 * Stages];  // full, empty
  __shared__ WorkTileRing::Shared work_tile_slots;
  const WorkTileRing work_tile_ring(work_tile_slots, Rows::kThreads / 32);
  const typename Rows::Pipeline pipeline =
      Rows::Pipeline::begin(barriers, Rows::kGroup + 1, Rows::kConsumers);
  // Blocks of the next kernel would crowd where the first of two end.
  if constexpr (BlocksPerMultiprocessor == 1)
    gpu::wait_for_earlier_kernels();
  else
    gpu::wait_for_earlier_kernels_alone();
  // Through a shuffle, so that the compiler knows it uniform: branches on it then cost nothing.
  const int group = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / Rows::kGroup, 0);
  constexpr bool kTradeRegisters = !Rows::kWeightWarp;
  if (group == 0) {
    if constexpr (kTradeRegisters) gpu::sm90::give_registers<104>();
    if constexpr (Rows::kWeightWarp) {
      Rows::produce(params, &weights, pipeline, work_tile_ring, [] {});
    } else {
      TileScheduler scheduler(params, work_tile_ring, threadIdx.x > 0);
      Rows::produce(params, &weights, pipeline, work_tile_ring, [&] { scheduler.request(); });
      scheduler.leave();
    }
  } else if (group <= Rows::kConsumers) {
    if constexpr (kTradeRegisters) gpu::sm90::take_registers<200>();
    Rows::consume(params, pipeline, work_tile_ring, group - 1);
  } else if (threadIdx.x % 32 == 0) {
    TileScheduler scheduler(params, work_tile_ring, false);
    Rows::produce_weights(params, &weights, pipeline, work_tile_ring, [&] { scheduler.request(); });
    scheduler.leave();
  }
}

}  // namespace spb::plans
