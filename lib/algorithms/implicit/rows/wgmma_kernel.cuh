// The tile of fprop and dgrad for sm_90a: persistent blocks whose warpgroups have different work.
//
// A producer warpgroup gathers rows of A into a ring of stages, the copy engine brings the weights,
// two consumer warpgroups multiply. The ring runs on over offsets and over tiles, so that the next
// tile's loads overlap the epilogue. Follows the warp-specialized scheme of CUTLASS and
// FlashAttention-3 (Shah et al., 2024), with a gather in the place of the copy engine's boxes.
#pragma once

#include "algorithms/implicit/rows/wgmma_items.cuh"
#include "algorithms/implicit/rows/wgmma_output.cuh"
#include "algorithms/implicit/wgmma_ring.cuh"

namespace spb::plans {

/// E: gpu::F16, gpu::BF16 or, not Transposed, gpu::TF32, whose multiplies take weights in order of
/// depth alone and drop the bits that they ignore: weights come prepared (weights.h), rows are
/// rounded on their way through the consumers' registers.
template <class E, bool Transposed, int TileN, int Stages>
struct WgmmaRows {
  static constexpr bool kTf32 = E::dtype == Dtype::tf32;
  static constexpr int kElementBytes = sizeof(typename E::Storage), kRowBytes = 128;
  static constexpr int kTileM = kWgmmaTileM, kTileK = kRowBytes / kElementBytes;
  static constexpr int kConsumers = kWgmmaConsumers, kGroup = kWgmmaGroup;
  static constexpr int kBytesA = kTileM * kRowBytes, kBytesB = TileN * kRowBytes;
  static_assert(!(kTf32 && Transposed));
  // 13 warps may have 152 registers each, too few for the sums of 256 columns.
  static constexpr bool kWeightWarp = TileN < 256;
  static constexpr int kThreads = kGroup * (1 + kConsumers) + (kWeightWarp ? 32 : 0);
  using Ring = WgmmaRing<Stages, kBytesA + kBytesB, kTf32 ? 1 : 128>;
  using OwnItems = Items<(TileN > 64)>;
  using Output = WgmmaRowOutput<E, TileN>;
  static constexpr int kRowsPerThread = kTileM / (kGroup / 8);  // eight threads copy a row

  static __device__ void copy_weights(const Ring& ring, int stage, const CUtensorMap* weights,
                                      int k, int offset, int column0) {
    const uint32_t barrier = ring.full(stage), to = ring.stage(stage) + kBytesA;
    gpu::sm90::arrive_expecting(barrier, kBytesB);
    if constexpr (Transposed) {
      constexpr int kBlock = 64;
#pragma unroll
      for (int block = 0; block < TileN / kBlock; ++block)
        gpu::sm90::copy_box(to + block * kBlock * kRowBytes, weights, barrier,
                            column0 + block * kBlock, offset, k);
    } else {
      gpu::sm90::copy_box(to, weights, barrier, k, offset, column0);
    }
  }

  static __device__ int weight_offset(const RowPass& pass, const int32_t* listed, uint32_t entry) {
    const int offset = listed[entry];
    return pass.mirrored ? pass.kernel_volume - 1 - offset : offset;
  }

  /// Eight consecutive rows of one 16-byte chunk a thread.
  struct RowIndices {
    int row[kRowsPerThread];
    /// `index`: the thread's first row of entry 0.
    __device__ void load(const int32_t* index, uint32_t entry) {
      const auto* from = reinterpret_cast<const int4*>(index) + uint64_t{entry} * (kTileM / 4);
#pragma unroll
      for (int i = 0; i < kRowsPerThread / 4; ++i) {
        const int4 four = __ldg(from + i);
        row[4 * i] = four.x;
        row[4 * i + 1] = four.y;
        row[4 * i + 2] = four.z;
        row[4 * i + 3] = four.w;
      }
    }
  };

  static __device__ void produce(const RowPass& pass, const CUtensorMap* weights,
                                 const Ring& ring) {
    const int thread = static_cast<int>(threadIdx.x);
    const int chunk = thread % 8, first_row = thread / 8 * kRowsPerThread;
    const char* source = static_cast<const char*>(pass.source) + chunk * 16;
    const int64_t pitch = int64_t{pass.depth} * kElementBytes;
    const int depth_steps = (pass.depth + kTileK - 1) / kTileK;
    typename Ring::Position at;
    RowIndices indices, ahead;
    OwnItems items(pass);
    const auto load_first = [&] {
      if (items.valid() && items->steps() > 0)
        ahead.load(lists_of(pass, *items).tile_index + first_row, items->entry);
    };
    load_first();
    while (items.valid()) {
      uint32_t entry = items->entry;
      int left = items->steps(), depth_step = items->first_depth_step();
      const int column0 = items->column_tile() * TileN;
      const int32_t* index = lists_of(pass, *items).tile_index + first_row;
      const int32_t* listed = kWeightWarp ? nullptr : lists_of(pass, *items).listed;
      items.next();
      if (left == 0) load_first();
      while (left > 0) {
        indices = ahead;
        if (left > depth_steps - depth_step)
          ahead.load(index, entry + 1);
        else
          load_first();
        const int offset = kWeightWarp ? 0 : weight_offset(pass, listed, entry);
        for (; depth_step < depth_steps && left > 0; ++depth_step, --left) {
          const int k = depth_step * kTileK;
          ring.wait_empty(at);
          if (!kWeightWarp && thread == 0)
            copy_weights(ring, at.stage, weights, k, offset, column0);
          const bool inside = k + chunk * (16 / kElementBytes) < pass.depth;
          const uint32_t to = ring.stage(at.stage) + first_row * kRowBytes;
#pragma unroll
          for (int i = 0; i < kRowsPerThread; ++i) {
            const int row = indices.row[i];
            const bool present = row >= 0 && inside;
            gpu::sm80::copy_16_or_zero(to + i * kRowBytes + ((chunk ^ (i & 7)) << 4),
                                       source + (present ? row * pitch + k * kElementBytes : 0),
                                       present);
          }
          ring.filled_by_copies(at);
          at.advance();
        }
        depth_step = 0;
        ++entry;
      }
    }
  }

  /// The weight warp: one thread of it.
  static __device__ void produce_weights(const RowPass& pass, const CUtensorMap* weights,
                                         const Ring& ring) {
    const int depth_steps = (pass.depth + kTileK - 1) / kTileK;
    typename Ring::Position at;
    for (OwnItems items(pass); items.valid(); items.next()) {
      uint32_t entry = items->entry;
      int left = items->steps(), depth_step = items->first_depth_step();
      const int column0 = items->column_tile() * TileN;
      const int32_t* listed = lists_of(pass, *items).listed;
      int ahead = left > 0 ? weight_offset(pass, listed, entry) : 0;
      while (left > 0) {
        const int offset = ahead;
        if (left > depth_steps - depth_step) ahead = weight_offset(pass, listed, entry + 1);
        for (; depth_step < depth_steps && left > 0; ++depth_step, --left) {
          ring.wait_empty(at);
          copy_weights(ring, at.stage, weights, depth_step * kTileK, offset, column0);
          at.advance();
        }
        depth_step = 0;
        ++entry;
      }
    }
  }

  /// Adds the next `steps` stages.
  static __device__ void sum(float (&sums)[TileN / 2], const Ring& ring,
                             typename Ring::Position& at, int steps, int consumer) {
    constexpr int kConsumerBytesA = kBytesA / kConsumers;
    if constexpr (kTf32) {
      const int lane = static_cast<int>(threadIdx.x) % 32;
      const int row = static_cast<int>(threadIdx.x) % kGroup / 32 * 16 + lane % 16;
      const uint32_t own = consumer * kConsumerBytesA + row * kRowBytes;
      sum_stages_of_registers(
          sums, ring, at, steps,
          [&](uint32_t stage, int k, uint32_t(&words)[4]) {
            gpu::sm80::load_matrices(words, stage + own + ((2 * k + lane / 16) ^ (row & 7)) * 16);
            gpu::sm80::AtomTF32::convert(words);
          },
          [&](uint32_t stage, int k, const uint32_t(&words)[4]) {
            gpu::sm90::MultiplyTf32<TileN>::step(
                sums, words, gpu::sm90::matrix_descriptor(stage + kBytesA + k * 32));
          });
    } else {
      sum_stages(sums, ring, at, steps, [&](uint32_t stage) {
        const uint32_t a = stage + consumer * kConsumerBytesA, b = stage + kBytesA;
#pragma unroll
        for (int k = 0; k < kTileK / 16; ++k)
          gpu::sm90::Multiply<E::dtype == Dtype::bf16, TileN, 0, Transposed>::step(
              sums, gpu::sm90::matrix_descriptor(a + k * 32),
              Transposed ? gpu::sm90::matrix_descriptor(b + k * 16 * kRowBytes, 64 * kRowBytes)
                         : gpu::sm90::matrix_descriptor(b + k * 32));
      });
    }
  }

  static __device__ void consume(const RowPass& pass, const Ring& ring, int consumer) {
    typename Ring::Position at;
    for (OwnItems items(pass); items.valid(); items.next()) {
      float sums[TileN / 2];
      sum(sums, ring, at, items->steps(), consumer);
      Output::write(pass, *items, consumer, sums);
    }
  }
};

template <class Rows, int BlocksPerMultiprocessor, int Stages>
__global__ void __launch_bounds__(Rows::kThreads, BlocksPerMultiprocessor)
    wgmma_rows_kernel(const __grid_constant__ CUtensorMap weights,
                      const __grid_constant__ RowPass pass) {
  __shared__ uint64_t barriers[2 * Stages];
  const typename Rows::Ring ring = Rows::Ring::begin(barriers, Rows::kGroup + 1, Rows::kConsumers);
  // Through a shuffle, so that the compiler knows it uniform: branches on it then cost nothing.
  const int group = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / Rows::kGroup, 0);
  constexpr bool kTradeRegisters = !Rows::kWeightWarp;
  if (group == 0) {
    if constexpr (kTradeRegisters) gpu::sm90::give_registers<104>();
    Rows::produce(pass, &weights, ring);
  } else if (group <= Rows::kConsumers) {
    if constexpr (kTradeRegisters) gpu::sm90::take_registers<200>();
    Rows::consume(pass, ring, group - 1);
  } else if (threadIdx.x % 32 == 0) {
    Rows::produce_weights(pass, &weights, ring);
  }
}

}  // namespace spb::plans
