// SPDX-License-Identifier: Apache-2.0
// wgrad of up to 64 channels by halos (maps/halo/halo.h), on sm_90a. CUDA only.
//
// The sums of 27 offsets of 64 x 64 channels are more than a multiprocessor has registers: blocks
// share a tile, each has nine offsets. Each stays, goes from tile to tile with its sums in
// registers and writes them in the end; a launch of its own adds up those of all blocks, in their
// order. Rows of the halo come by ldmatrix, turned, as operand A; rows of gout, which lie as they
// are, are operand B. So the sums are those of gw turned.
//
// grid   x = blocks that share tiles, as parts, the faster; slice x of y takes tiles x, x + y ...
// tile   M = 64 channels of in, N = 64 of gout, K = 256 rows in 4 groups, 9 offsets
//
// role        warps    registers  does
// gather      0 to 3   80         cp.async: a round's halo and local indices, its groups of gout
// multiply    the next 144        3 warpgroups of 3 offsets: of each group that has one, 64 rows by
//             12                  ldmatrix, wgmma m64n64k16 four times
//
// barrier       arrivals  a phase ends when                         waited for by
// full halo [2] 128 + 4   all copies landed, the masks are written  multiply
// empty halo[2] 384       all threads have loaded what they want    gather
// full gout [6] 128       all copies landed                         multiply
// empty gout[6] 12        each warp's multiplies ended              gather
//
// shared memory     bytes       layout
// gout [6]          8192        [64 rows][64 channels], swizzled as wgmma reads it
// stage [2] halo    2 x 40960   [32 channels' plane][slot]; slots 0, 1 are zeros
//           local   36 x 128    [group][offset of the part][64 rows] of 16 bits
// barriers, masks   200         static, with the part's offsets
#pragma once

#include "gpu/element.cuh"
#include "kernels/wgrad/halo/wgmma/gather.cuh"

namespace spb::plans {

/// A warpgroup that multiplies. E: gpu::F16 or gpu::BF16.
template <class E>
class HaloWgmmaMultiply {
  using Places = HaloWgmmaWgradPlaces;
  using Block = HaloWgmmaBlock;
  using HaloRing = RingState<Block::kStages>;
  using GoutRing = RingState<Block::kGoutStages>;
  static constexpr int kGroups = Block::kGroups;
  static constexpr int kOffsets = Places::kOffsetsOfConsumer;
  static constexpr int kDepth = 16, kInstructions = Block::kGroupRows / kDepth;
  static constexpr int kOfHalf = kInstructions / 2;
  using Words = uint32_t[kOfHalf][4];
  static constexpr int kRowBytes = Places::kChannels * 2;  // of gout

 public:
  explicit __device__ HaloWgmmaMultiply(const Block& block) : block_(block) {}

  __device__ void run(int consumer) const {
    float sums[kOffsets][32] = {};
    Words words[2] = {};
    HaloRing halo;
    GoutRing gout;
    int before = -1;  // the stage of gout of the group before
#pragma unroll
    for (int i = 0; i < kOffsets; ++i) gpu::sm90::pin(sums[i]);
    for (int64_t tile = block_.slice; tile < block_.params.halos.count;
         tile += block_.params.blocks)
      while (!multiply_round(consumer, halo, gout, before, words, sums)) {
      }
    gpu::sm90::wait_multiplies<0>();
#pragma unroll
    for (int i = 0; i < kOffsets; ++i) gpu::sm90::pin(sums[i]);
    write(consumer, sums);
  }

 private:
  /// Whether it was the tile's last. Multiplies may be under way after it.
  __device__ __forceinline__ bool multiply_round(int consumer, HaloRing& halo, GoutRing& gout,
                                                 int& before, Words (&words)[2],
                                                 float (&sums)[kOffsets][32]) const {
    const int lane = static_cast<int>(threadIdx.x) % 32,
              warp = static_cast<int>(threadIdx.x) / 32 % 4;
    gpu::sm90::wait_barrier(Block::at(block_.shared.full_halo[halo.stage]), halo.parity);
    const uint32_t stage = block_.stage(halo.stage);
    // Through shuffles, so that the compiler knows them uniform.
    const uint32_t mine = block_.shared.masks[halo.stage][lane % kGroups];
    const bool is_last = __shfl_sync(~0u, mine, 0) & Block::kLastRound;
    uint32_t local = stage + Places::kLocal + consumer * kOffsets * HaloPlaces::kEntryBytes +
                     Places::row_a(lane) * int{sizeof(uint16_t)};
#pragma unroll 1
    for (int g = 0; g < kGroups; ++g) {
      const uint32_t mask = __shfl_sync(~0u, mine, g) >> consumer * kOffsets;
      gpu::sm90::wait_barrier(Block::at(block_.shared.full_gout[gout.stage]), gout.parity);
      gpu::sm90::fence_for_multiply();
      const uint32_t b = block_.gout_stage(gout.stage);
#pragma unroll
      for (int i = 0; i < kOffsets; ++i)
        if (mask >> i & 1)
          add(sums[i], words, stage, local + i * HaloPlaces::kEntryBytes, b, warp, lane);
      // Of the group before no multiply is under way then.
      if (mask & ((1u << kOffsets) - 1))
        gpu::sm90::wait_multiplies<1>();
      else
        gpu::sm90::wait_multiplies<0>();
      __syncwarp();
      if (lane == 0 && before >= 0) gpu::sm90::arrive(Block::at(block_.shared.empty_gout[before]));
      before = gout.stage;
      gout.advance();
      local += Places::kOffsetsOfPart * HaloPlaces::kEntryBytes;
    }
    gpu::sm90::arrive(Block::at(block_.shared.empty_halo[halo.stage]));
    halo.advance();
    return is_last;
  }

  /// A group's rows by one offset, in two halves. While one is multiplied the next is loaded.
  static __device__ __forceinline__ void add(float (&sums)[32], Words (&words)[2], uint32_t halo,
                                             uint32_t local, uint32_t gout, int warp, int lane) {
    uint32_t index[kInstructions];
#pragma unroll
    for (int k = 0; k < kInstructions; ++k)
      index[k] = gpu::sm80::load_shared_2(local + k * kDepth * int{sizeof(uint16_t)});
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      gpu::sm90::wait_multiplies<1>();
#pragma unroll
      for (int k = 0; k < kOfHalf; ++k) {
        gpu::sm90::pin(words[half][k]);  // read until here
        gpu::sm80::load_transposed_matrices(
            words[half][k], Places::operand_a(halo, index[half * kOfHalf + k], warp, lane));
        gpu::sm90::pin(words[half][k]);
      }
      gpu::sm90::begin_multiplies();
#pragma unroll
      for (int k = 0; k < kOfHalf; ++k)
        gpu::sm90::MultiplyRegisters<E::dtype == Dtype::bf16, Places::kChannels, 1>::step(
            sums, words[half][k],
            gpu::sm90::matrix_descriptor(gout + (half * kOfHalf + k) * kDepth * kRowBytes));
      gpu::sm90::commit_multiplies();
    }
  }

  /// To the slice's partial, [c_out, kernel volume, c_in].
  __device__ void write(int consumer, const float (&sums)[kOffsets][32]) const {
    const int lane = static_cast<int>(threadIdx.x) % 32,
              warp = static_cast<int>(threadIdx.x) / 32 % 4;
    const int volume = block_.params.kernel_volume;
    float* partial = block_.params.partials +
                     int64_t{block_.slice} * block_.params.c_out * volume * block_.params.c_in;
#pragma unroll
    for (int i = 0; i < kOffsets; ++i) {
      const int offset = block_.shared.offsets[consumer * kOffsets + i];
      if (offset >= volume) continue;
#pragma unroll
      for (int v = 0; v < 32; ++v) {  // as of gpu::sm90::Multiply
        const int ci = warp * 16 + v / 2 % 2 * 8 + lane / 4, co = v / 4 * 8 + lane % 4 * 2 + v % 2;
        if (co < block_.params.c_out && ci < block_.params.c_in)
          partial[(co * volume + offset) * block_.params.c_in + ci] = sums[i][v];
      }
    }
  }

  const Block& block_;
};

/// Of each thread: of the block's registers, which setmaxnreg trades, those that gather leave so
/// many to those that multiply.
inline constexpr int kHaloWgmmaGatherRegisters = 80, kHaloWgmmaMultiplyRegisters = 144;
static_assert(HaloWgmmaBlock::kGatherThreads * kHaloWgmmaGatherRegisters +
                  HaloWgmmaBlock::kMultiplyThreads * kHaloWgmmaMultiplyRegisters <=
              65536);

template <class E>
__global__ void __launch_bounds__(HaloWgmmaBlock::kThreads, 1)
    halo_wgrad_wgmma_kernel(const __grid_constant__ WgradParams params) {
  __shared__ HaloWgmmaBlock::Shared shared;
  const HaloWgmmaBlock block(params, shared);
  block.begin();
  gpu::wait_for_earlier_kernels();
  // Through a shuffle, so that the compiler knows it uniform.
  const int group = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 128, 0);
  if (group == 0) {
    gpu::sm90::give_registers<kHaloWgmmaGatherRegisters>();
    HaloWgmmaGather(block).run();
  } else {
    gpu::sm90::take_registers<kHaloWgmmaMultiplyRegisters>();
    HaloWgmmaMultiply<E>(block).run(group - 1);
  }
}

}  // namespace spb::plans
