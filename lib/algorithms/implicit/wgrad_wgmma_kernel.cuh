// The kernel of wgrad for sm_90a: a producer warpgroup gathers the rows of both operands into a
// ring of stages, two consumer warpgroups multiply. Rows are the depth, so both operands lie depth
// by depth in shared memory and wgmma transposes them. The steps of all pieces of a block form one
// stream; see row_wgmma_kernel.cuh.
#pragma once

#include "algorithms/implicit/wgmma_ring.cuh"
#include "algorithms/implicit/wgrad_sm80_tiles.cuh"
#include "gpu/mma/sm80.cuh"

namespace spb::plans {

template <class E, int TileN, int Stages>
struct WgradWgmma {
  static constexpr int kTileM = 128, kTileK = 64, kConsumers = 2, kGroup = 128;
  static constexpr int kLaunchThreads = kGroup * (1 + kConsumers);
  static constexpr int kBlock = 64;                        // channels of a swizzled row
  static constexpr int kBlockBytes = kTileK * kBlock * 2;  // of all rows' 64 channels
  static constexpr int kBlocksM = kTileM / kBlock, kBlocksN = TileN / kBlock;
  static constexpr int kStageBytes = (kBlocksM + kBlocksN) * kBlockBytes;
  using Ring = WgmmaRing<Stages, kStageBytes>;
  static constexpr int kRowStep = kGroup / 8;  // eight threads copy a row
  static constexpr int kRows = kTileK / kRowStep;
  using Atom = std::conditional_t<E::dtype == Dtype::bf16, gpu::sm80::AtomBF16, gpu::sm80::AtomF16>;
  /// A consumer's sums lie as those of eight warps of one 16-row instruction.
  using Sums = WgradMma<Atom, 8, 1, 16, TileN, kTileK, Stages, 1>;
  using Storage = typename E::Storage;
  static_assert(sizeof(Storage) == 2);

  /// The rows of one step after the other, over all pieces of the block.
  class Rows {
   public:
    __device__ Rows(const WgradPass& pass, int row)
        : pass_(pass),
          row_(row),
          piece_(pass.block_pieces[blockIdx.x]),
          last_piece_(pass.block_pieces[blockIdx.x + 1]) {
      find();
    }
    __device__ bool valid() const { return valid_; }
    __device__ int in(int i) const { return in_row_[i]; }  ///< -1: absent
    __device__ int out(int i) const { return out_row_[i]; }
    __device__ int tile() const { return tile_; }
    __device__ void next() { find(); }

   private:
    __device__ void find() {
      while (steps_ == 0) {
        if (piece_ == last_piece_) {
          valid_ = false;
          return;
        }
        const WgradPiece& piece = pass_.pieces[piece_++];
        walk_ = PairWalk::over(piece);
        steps_ = piece.steps;
        tile_ = piece.tile;
        offset_ = piece.offset;
        begin_ = pass_.offset_begin ? pass_.offset_begin[piece.offset] : 0;
      }
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
        const uint32_t at = walk_.at + row_ + i * kRowStep;
        in_row_[i] = -1;
        out_row_[i] = 0;
        if (at >= walk_.end) continue;
        if (pass_.offset_begin) {
          in_row_[i] = __ldg(pass_.in_index + begin_ + at);
          out_row_[i] = __ldg(pass_.out_index + begin_ + at);
        } else {
          in_row_[i] = __ldg(pass_.map + int64_t{at} * pass_.kernel_volume + offset_);
          out_row_[i] = static_cast<int>(at);
        }
      }
      walk_.next(kTileK);
      --steps_;
    }

    const WgradPass& pass_;
    const int row_;
    int piece_;
    const int last_piece_;
    bool valid_ = true;
    PairWalk walk_{};
    int64_t begin_ = 0;
    int steps_ = 0, tile_ = 0, offset_ = 0;
    int in_row_[kRows], out_row_[kRows];
  };

  static __device__ void produce(const WgradPass& pass, const Ring& ring) {
    const int thread = static_cast<int>(threadIdx.x);
    const int chunk = thread % 8, row = thread / 8;
    const int tiles_n = (pass.c_in + TileN - 1) / TileN;
    typename Ring::Position at;
    Rows rows(pass, row);
    while (rows.valid()) {
      int in_row[kRows], out_row[kRows];
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
        in_row[i] = rows.in(i);
        out_row[i] = rows.out(i);
      }
      const int co = rows.tile() / tiles_n * kTileM + chunk * 8;
      const int ci = rows.tile() % tiles_n * TileN + chunk * 8;
      rows.next();  // under way while the stage is waited for
      ring.wait_empty(at);
      const uint32_t to = ring.stage(at.stage) + row * 128 + ((chunk ^ (row & 7)) << 4);
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
        const bool present = in_row[i] >= 0;
        const auto* gout =
            static_cast<const Storage*>(pass.gout) + int64_t{out_row[i]} * pass.c_out + co;
        const auto* in = static_cast<const Storage*>(pass.in) +
                         int64_t{present ? in_row[i] : 0} * pass.c_in + ci;
        const uint32_t place = to + i * kRowStep * 128;
#pragma unroll
        for (int b = 0; b < kBlocksM; ++b)
          copy(place + b * kBlockBytes, gout + b * kBlock, pass.gout,
               present && co + b * kBlock < pass.c_out);
#pragma unroll
        for (int b = 0; b < kBlocksN; ++b)
          copy(place + (kBlocksM + b) * kBlockBytes, in + b * kBlock, pass.in,
               present && ci + b * kBlock < pass.c_in);
      }
      ring.filled_by_copies(at);
      at.advance();
    }
  }

  static __device__ void copy(uint32_t to, const void* from, const void* any, bool present) {
    gpu::sm80::copy_16_or_zero(to, present ? from : any, present);
  }

  static __device__ void consume(const WgradPass& pass, const Ring& ring, int consumer) {
    typename Ring::Position at;
    const int last_piece = pass.block_pieces[blockIdx.x + 1];
    const int thread = static_cast<int>(threadIdx.x) - kGroup;
    for (int p = pass.block_pieces[blockIdx.x]; p < last_piece; ++p) {
      float sums[TileN / 2];
#pragma unroll
      for (int i = 0; i < TileN / 2; ++i) sums[i] = 0;
      gpu::sm90::pin(sums);
      int before = -1;
      const int steps = pass.pieces[p].steps;
      for (int step = 0; step < steps; ++step) {
        ring.wait_full(at);
        gpu::sm90::fence_for_multiply();
        const uint32_t a = ring.stage(at.stage) + consumer * kBlockBytes;
        const uint32_t b = ring.stage(at.stage) + kBlocksM * kBlockBytes;
        gpu::sm90::begin_multiplies();
#pragma unroll
        for (int k = 0; k < kTileK / 16; ++k)
          gpu::sm90::Multiply<E::dtype == Dtype::bf16, TileN, 1, 1>::step(
              sums, gpu::sm90::matrix_descriptor(a + k * 16 * 128, kBlockBytes),
              gpu::sm90::matrix_descriptor(b + k * 16 * 128, kBlockBytes));
        gpu::sm90::commit_multiplies();
        gpu::sm90::wait_multiplies<1>();
        ring.release(before);
        before = at.stage;
        at.advance();
      }
      gpu::sm90::wait_multiplies<0>();
      gpu::sm90::pin(sums);
      ring.release(before);
      write(pass, pass.pieces[p], thread, sums);
    }
  }

  static __device__ void write(const WgradPass& pass, const WgradPiece& piece, int thread,
                               const float (&sums)[TileN / 2]) {
    const GradientTile tile = gradient_tile<E>(pass, piece.offset, piece.tile, kTileM, TileN);
#pragma unroll
    for (int g = 0; g < Sums::kGroups; ++g) {
      float values[Sums::kGroupSize];
#pragma unroll
      for (int v = 0; v < Sums::kGroupSize; ++v) values[v] = sums[g * Sums::kGroupSize + v];
      if (piece.slice < 0)
        Sums::template write<E>(tile, g, values, thread);
      else
        write_slice_group<Sums>(slice_group<Sums>(pass.slices, piece.slice, g, thread), values);
    }
  }
};

/// Grid: x = blocks of the schedule.
template <class Wgrad, int Stages>
__global__ void __launch_bounds__(Wgrad::kLaunchThreads, 1)
    wgrad_wgmma_kernel(const __grid_constant__ WgradPass pass) {
  __shared__ uint64_t barriers[2 * Stages];
  const typename Wgrad::Ring ring = Wgrad::Ring::begin(barriers, Wgrad::kGroup, Wgrad::kConsumers);
  // Through a shuffle, so that the compiler knows it uniform: branches on it then cost nothing.
  const int group = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / Wgrad::kGroup, 0);
  if (group == 0) {
    gpu::sm90::give_registers<104>();
    Wgrad::produce(pass, ring);
  } else {
    gpu::sm90::take_registers<200>();
    Wgrad::consume(pass, ring, group - 1);
  }
}

}  // namespace spb::plans
