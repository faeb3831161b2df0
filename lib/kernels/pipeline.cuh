// SPDX-License-Identifier: Apache-2.0
// The pipeline of stages in shared memory between producer and consumer warpgroups (sm_90a): a
// ring, with a full and an empty mbarrier for each stage.
#pragma once

#include "gpu/launch.cuh"
#include "gpu/mma/sm90.cuh"

namespace spb::plans {

/// Where a thread stands in a ring: a stage, and the parity of its phase.
template <int Stages>
struct RingState {
  int stage = 0;
  uint32_t parity = 0;
  __device__ void advance() {
    if (++stage == Stages) {
      stage = 0;
      parity ^= 1;
    }
  }
  /// The same, known to the compiler as the same for all lanes of the warp: through a shuffle.
  /// Addresses and descriptors are then computed once a warp, by its uniform registers.
  __device__ RingState of_the_warp() const {
    return {__shfl_sync(~0u, stage, 0), __shfl_sync(~0u, parity, 0)};
  }
};

/// `StageBytes` is a multiple of 1024, the alignment of swizzled matrices. One of so many
/// consumer threads gives a stage back: of the 128 of a warpgroup where wgmma alone reads stages,
/// which its warps begin and end together; of each warp where they may drift; every one where
/// threads read by ldmatrix.
template <int Stages, int StageBytes, int ThreadsPerRelease = 128>
class StagePipeline {
 public:
  static constexpr int kAlignment = 1024;
  static constexpr size_t kSharedBytes = Stages * StageBytes + kAlignment;
  static_assert(StageBytes % kAlignment == 0);

  using PipelineState = RingState<Stages>;

  /// In the dynamic shared memory of the block, with 2 * Stages `barriers` in the static one. A
  /// stage is full after `fillings` arrivals and empty after those of all consumer warpgroups. All
  /// threads of the block call it; its __syncthreads() publishes other barriers that were
  /// initialized before, too.
  static __device__ StagePipeline begin(uint64_t* barriers, int fillings, int consumers) {
    const uint32_t shared = gpu::sm80::shared_address(gpu::dynamic_shared<char>());
    const StagePipeline pipeline((shared + kAlignment - 1) & ~uint32_t{kAlignment - 1},
                                 gpu::sm80::shared_address(barriers));
    if (threadIdx.x == 0) {
      for (int s = 0; s < Stages; ++s) {
        gpu::sm90::init_barrier(pipeline.full(s), fillings);
        gpu::sm90::init_barrier(pipeline.empty(s), consumers * (128 / ThreadsPerRelease));
      }
      gpu::sm90::publish_barriers();
    }
    __syncthreads();
    return pipeline;
  }

  __device__ uint32_t stage(int s) const { return stages_ + s * StageBytes; }
  __device__ uint32_t full(int s) const { return barriers_ + s * 8; }

  __device__ void wait_empty(const PipelineState& at) const {
    gpu::sm90::wait_barrier(empty(at.stage), at.parity ^ 1);
  }
  /// Arrives when the thread's copies have landed.
  __device__ void filled_by_copies(const PipelineState& at) const {
    gpu::sm90::arrive_after_copies(full(at.stage));
  }
  __device__ void wait_full(const PipelineState& at) const {
    gpu::sm90::wait_barrier(full(at.stage), at.parity);
  }
  /// Consumers give stage s back; -1: none.
  __device__ void release(int s) const {
    if (s >= 0 && threadIdx.x % ThreadsPerRelease == 0) gpu::sm90::arrive(empty(s));
  }

 private:
  __device__ StagePipeline(uint32_t stages, uint32_t barriers)
      : stages_(stages), barriers_(barriers) {}
  __device__ uint32_t empty(int s) const { return barriers_ + (Stages + s) * 8; }

  uint32_t stages_, barriers_;
};

/// A consumer warpgroup's sums over the next `steps` stages: add(number of a stage) begins its
/// multiplies, ends them in a group, and waits for all but this group. So they overlap with waiting
/// for the next stage.
template <class Sum, class Pipeline, class Add, int N>
__device__ __forceinline__ void accumulate_overlapped(Sum (&accumulators)[N],
                                                      const Pipeline& pipeline,
                                                      typename Pipeline::PipelineState& at,
                                                      int steps, Add add) {
  at = at.of_the_warp();
  steps = __shfl_sync(~0u, steps, 0);
#pragma unroll
  for (int i = 0; i < N; ++i) accumulators[i] = 0;
  gpu::sm90::pin(accumulators);
  int before = -1;
  for (int step = 0; step < steps; ++step) {
    pipeline.wait_full(at);
    add(at.stage);
    pipeline.release(before);
    before = at.stage;
    at.advance();
  }
  gpu::sm90::wait_multiplies<0>();
  gpu::sm90::pin(accumulators);
  pipeline.release(before);
}

/// The same of multiply(stage address), which alone begins multiplies.
template <class Sum, class Pipeline, class Multiply, int N>
__device__ __forceinline__ void accumulate_stages(Sum (&accumulators)[N], const Pipeline& pipeline,
                                                  typename Pipeline::PipelineState& at, int steps,
                                                  Multiply multiply) {
  accumulate_overlapped(accumulators, pipeline, at, steps, [&](int stage) {
    gpu::sm90::fence_for_multiply();
    gpu::sm90::begin_multiplies();
    multiply(pipeline.stage(stage));
    gpu::sm90::commit_multiplies();
    gpu::sm90::wait_multiplies<1>();
  });
}

/// The same where a tensor core's own sums have few bits: they begin anew with each stage,
/// multiply(stage address, part, sums), and are added up in fp32, in parts of as many sums as there
/// are registers for. What keeps the tensor cores busy meanwhile are the multiplies of other
/// warpgroups.
template <int SumsOfPart, class Pipeline, class Multiply, int N>
__device__ __forceinline__ void accumulate_promoted_stages(float (&accumulators)[N],
                                                           const Pipeline& pipeline,
                                                           typename Pipeline::PipelineState& at,
                                                           int steps, Multiply multiply) {
  at = at.of_the_warp();
  steps = __shfl_sync(~0u, steps, 0);
  static_assert(N % SumsOfPart == 0);
  float sums[SumsOfPart] = {};
#pragma unroll
  for (int i = 0; i < N; ++i) accumulators[i] = 0;
  for (int step = 0; step < steps; ++step) {
    pipeline.wait_full(at);
    gpu::sm90::fence_for_multiply();
#pragma unroll
    for (int part = 0; part < N / SumsOfPart; ++part) {
      gpu::sm90::pin(sums);
      gpu::sm90::begin_multiplies();
      multiply(pipeline.stage(at.stage), part, sums);
      gpu::sm90::commit_multiplies();
      gpu::sm90::wait_multiplies<0>();
      gpu::sm90::pin(sums);
      if (part == N / SumsOfPart - 1) pipeline.release(at.stage);
#pragma unroll
      for (int i = 0; i < SumsOfPart; ++i) accumulators[part * SumsOfPart + i] += sums[i];
    }
    at.advance();
  }
}

/// Instructions of a stage whose rows have 128 bytes of depth.
inline constexpr int kRegisterMultiplies = 4;

/// Adds the products of one stage, one of whose operands goes through registers, `Words` of each
/// instruction's depth: load(stage address, k, words), multiply(stage address, k, words).
template <int Words, class Load, class Multiply, int N>
__device__ __forceinline__ void multiply_stage_of_registers(float (&accumulators)[N],
                                                            uint32_t stage, Load load,
                                                            Multiply multiply) {
  uint32_t words[kRegisterMultiplies][Words] = {};
#pragma unroll
  for (int k = 0; k < kRegisterMultiplies; ++k) {
    load(stage, k, words[k]);
    gpu::sm90::pin(words[k]);
  }
  gpu::sm90::pin(accumulators);
  gpu::sm90::begin_multiplies();
#pragma unroll
  for (int k = 0; k < kRegisterMultiplies; ++k) multiply(stage, k, words[k]);
  gpu::sm90::commit_multiplies();
  gpu::sm90::wait_multiplies<0>();
  gpu::sm90::pin(accumulators);
}

/// Sums over the next `steps` stages, to which add(its number, its address) adds those of one,
/// which is then given back.
template <class Pipeline, class Add, int N>
__device__ __forceinline__ void accumulate_one_by_one(float (&accumulators)[N],
                                                      const Pipeline& pipeline,
                                                      typename Pipeline::PipelineState& at,
                                                      int steps, Add add) {
  at = at.of_the_warp();
  steps = __shfl_sync(~0u, steps, 0);
#pragma unroll
  for (int i = 0; i < N; ++i) accumulators[i] = 0;
  for (int step = 0; step < steps; ++step) {
    pipeline.wait_full(at);
    add(at.stage, pipeline.stage(at.stage));
    pipeline.release(at.stage);
    at.advance();
  }
}

/// The sums of stages as multiply_stage_of_registers() adds them. Multiplies read the words until
/// they end, so that loads wait for them; what keeps the tensor cores busy then are the multiplies
/// of other warpgroups.
template <int Words = 4, class Pipeline, class Load, class Multiply, int N>
__device__ __forceinline__ void accumulate_stages_of_registers(float (&accumulators)[N],
                                                               const Pipeline& pipeline,
                                                               typename Pipeline::PipelineState& at,
                                                               int steps, Load load,
                                                               Multiply multiply) {
  accumulate_one_by_one(accumulators, pipeline, at, steps, [&](int, uint32_t stage) {
    multiply_stage_of_registers<Words>(accumulators, stage, load, multiply);
  });
}

/// The same where loads take so long that other warpgroups do not make up for them: words of the
/// next `AtATime` instructions are loaded while the last ones are multiplied. Stages of which
/// holds(stage) is false add nothing.
template <int Words, int AtATime, class Pipeline, class Load, class Multiply, class Holds, int N>
__device__ __forceinline__ void accumulate_stages_of_registers_ahead(
    float (&accumulators)[N], const Pipeline& pipeline, typename Pipeline::PipelineState& at,
    int steps, Load load, Multiply multiply, Holds holds) {
  constexpr int kTurns = kRegisterMultiplies / AtATime;
  static_assert(kTurns % 2 == 0, "turns of all stages alternate between two sets of words");
  at = at.of_the_warp();
  steps = __shfl_sync(~0u, steps, 0);
#pragma unroll
  for (int i = 0; i < N; ++i) accumulators[i] = 0;
  gpu::sm90::pin(accumulators);
  uint32_t words[2][AtATime][Words] = {};
  int before = -1;
  const auto end = [&] {
    gpu::sm90::wait_multiplies<0>();
#pragma unroll
    for (int k = 0; k < AtATime; ++k) gpu::sm90::pin(words[1][k]);
    pipeline.release(before);
    before = -1;
  };
  for (int step = 0; step < steps; ++step) {
    pipeline.wait_full(at);
    if (!holds(at.stage)) {
      end();  // or as many such stages as there are would keep it for ever
      pipeline.release(at.stage);
      at.advance();
      continue;
    }
    const uint32_t stage = pipeline.stage(at.stage);
#pragma unroll
    for (int turn = 0; turn < kTurns; ++turn) {
      auto &mine = words[turn % 2], &others = words[1 - turn % 2];
#pragma unroll
      for (int k = 0; k < AtATime; ++k) {
        load(stage, turn * AtATime + k, mine[k]);
        gpu::sm90::pin(mine[k]);
      }
      gpu::sm90::begin_multiplies();
#pragma unroll
      for (int k = 0; k < AtATime; ++k) multiply(stage, turn * AtATime + k, mine[k]);
      gpu::sm90::commit_multiplies();
      gpu::sm90::wait_multiplies<1>();
#pragma unroll
      for (int k = 0; k < AtATime; ++k) gpu::sm90::pin(others[k]);  // read until here
      if (turn == 0) pipeline.release(before);
    }
    before = at.stage;
    at.advance();
  }
  end();
  gpu::sm90::pin(accumulators);
}

}  // namespace spb::plans
