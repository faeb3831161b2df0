// The pipelined kernel of wgrad for NVIDIA GPUs from sm_80 on. The steps of all pieces of a block
// form one stream: while a stage is multiplied, or a finished piece written, copies of the next
// stages are under way. CUDA only.
#pragma once

#include "algorithms/implicit/wgrad_sm80_tiles.cuh"

namespace spb::plans {

/// Brings the rows of one step after the other into shared memory. Neighboring threads,
/// eight where there are enough, share a row. Row indices are read one step ahead.
template <class E, class Tile, bool Aligned>
class WgradLoader {
  using Storage = typename E::Storage;
  static constexpr int kElements = 16 / sizeof(Storage);  // of a chunk
  static constexpr int kChunksA = Tile::kTileM / kElements, kChunksB = Tile::kTileN / kElements;
  static constexpr int kFewest = kChunksA < kChunksB ? kChunksA : kChunksB;
  static constexpr int kMost = Tile::kThreads / 8 < 8 ? Tile::kThreads / 8 : 8;
  static constexpr int kShare = kFewest < kMost ? kFewest : kMost;
  static constexpr int kRowThreads =
      Tile::kThreads / Tile::kTileK > kShare ? Tile::kThreads / Tile::kTileK : kShare;
  static constexpr int kRowStep = Tile::kThreads / kRowThreads;  // rows that threads load at once
  static constexpr int kRows = Tile::kTileK / kRowStep;          // of a thread
  static_assert(kRows * kRowStep == Tile::kTileK && kFewest % kRowThreads == 0);

 public:
  __device__ WgradLoader(const WgradPass& pass, uint32_t stages, int thread)
      : pass_(pass),
        row_(thread / kRowThreads),
        chunk_(thread % kRowThreads),
        to_a_(stages + row_ * Tile::kPitchA + chunk_ * 16),
        to_b_(stages + Tile::kBytesA + row_ * Tile::kPitchB + chunk_ * 16),
        piece_(pass.block_pieces[blockIdx.x]),
        last_piece_(pass.block_pieces[blockIdx.x + 1]) {
    enter_piece();
    find_rows();
  }

  // Three parts of one job, for the kernel to spread among multiplications: the first and the last
  // do not branch.

  /// Queues the copies of the rows found last into a stage; zeros after the last step.
  __device__ void copy_rows(int stage) const {
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      const int place = stage * Tile::kStageBytes;
      load_row<kChunksA>(to_a_ + place + i * kRowStep * Tile::kPitchA,
                         gout_ + int64_t{out_row_[i]} * pass_.c_out, in_row_[i] >= 0, gout_left_);
      load_row<kChunksB>(to_b_ + place + i * kRowStep * Tile::kPitchB,
                         in_ + int64_t{in_row_[i]} * pass_.c_in, in_row_[i] >= 0, in_left_);
    }
  }

  /// Goes on with the next piece when the steps of this one have been found.
  __device__ void enter_piece() {
    while (steps_ == 0) {
      if (piece_ == last_piece_) {
        walk_.end = 0;
        return;
      }
      take_piece(pass_.pieces[piece_++]);
    }
  }

  /// Finds the rows of the next step.
  __device__ void find_rows() {
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      const uint32_t at = walk_.at + row_ + i * kRowStep;
      const bool present = at < walk_.end;
      in_row_[i] = present ? in_rows_[int64_t{at} * in_rows_pitch_] : -1;
      out_row_[i] = static_cast<int32_t>(at);
      if (present && listed_) out_row_[i] = out_rows_[at];
    }
    walk_.next(Tile::kTileK);
    steps_ -= steps_ > 0;
  }

 private:
  __device__ void take_piece(const WgradPiece& piece) {
    walk_ = PairWalk::over(piece);
    steps_ = piece.steps;
    const int tiles_n = (pass_.c_in + Tile::kTileN - 1) / Tile::kTileN;
    const int co = piece.tile / tiles_n * Tile::kTileM + chunk_ * kElements;
    const int ci = piece.tile % tiles_n * Tile::kTileN + chunk_ * kElements;
    gout_ = static_cast<const Storage*>(pass_.gout) + co;
    in_ = static_cast<const Storage*>(pass_.in) + ci;
    gout_left_ = pass_.c_out - co;
    in_left_ = pass_.c_in - ci;
    if (pass_.offset_begin) {
      const int64_t begin = pass_.offset_begin[piece.offset];
      in_rows_ = pass_.in_index + begin;
      out_rows_ = pass_.out_index + begin;
      listed_ = true;
    } else {
      in_rows_ = pass_.map + piece.offset;
      in_rows_pitch_ = pass_.kernel_volume;
    }
  }

  /// The thread's chunks of a row: from its first one on, every kRowThreads-th. `left`: channels
  /// from the first chunk to the row's end.
  template <int Chunks>
  __device__ static void load_row(uint32_t to, const Storage* from, bool present, int left) {
#pragma unroll
    for (int c = 0; c < Chunks / kRowThreads; ++c) {
      const int skipped = c * kRowThreads * kElements;
      if constexpr (Aligned)
        gpu::sm80::copy_16_or_zero(to + c * kRowThreads * 16, from + skipped,
                                   present && left > skipped);
      else
        copy_elements(to + c * kRowThreads * 16, from + skipped, present ? left - skipped : 0);
    }
  }

  __device__ static void copy_elements(uint32_t to, const Storage* from, int left) {
    uint32_t words[4] = {};
#pragma unroll
    for (int e = 0; e < kElements; ++e) {
      if (e >= left) continue;
      if constexpr (sizeof(Storage) == 2)
        words[e / 2] |= uint32_t{from[e]} << e % 2 * 16;
      else
        words[e] = __float_as_uint(from[e]);
    }
    gpu::sm80::store_shared_16(to, words);
  }

  const WgradPass& pass_;
  const int row_, chunk_;
  const uint32_t to_a_, to_b_;
  int piece_;
  const int last_piece_;

  // Of the piece whose rows were found last.
  PairWalk walk_;
  int steps_ = 0;
  const Storage* gout_;
  const Storage* in_;
  int gout_left_, in_left_;
  const int32_t* in_rows_;
  const int32_t* out_rows_;
  bool listed_ = false;  // else rows are their own indices
  int in_rows_pitch_ = 1;

  int32_t in_row_[kRows], out_row_[kRows];  // in < 0: absent
};

/// Grid: x = blocks of the schedule. Dynamic shared memory: kStages stages.
template <class E, class Tile, bool Aligned>
GPU_KERNEL void __launch_bounds__(Tile::kThreads, Tile::kBlocks)
    wgrad_sm80_kernel(const __grid_constant__ WgradPass pass) {
  using namespace gpu::sm80;
  const int thread = static_cast<int>(threadIdx.x);
  const uint32_t stages = shared_address(gpu::dynamic_shared<char>());
  const typename Tile::Places places = Tile::places(thread);
  const uint32_t from_a = stages + places.a, from_b = stages + Tile::kBytesA + places.b;

  WgradLoader<E, Tile, Aligned> loader(pass, stages, thread);
#pragma unroll
  for (int s = 0; s < Tile::kStages - 1; ++s) {
    loader.copy_rows(s);
    commit_copies();
    loader.enter_piece();
    loader.find_rows();
  }
  wait_copies<Tile::kStages - 2>();
  gpu::sync_threads();

  // While one of the fragments is multiplied the other is read.
  typename Tile::Fragments fragments[2];
  Tile::load(fragments[0], from_a, from_b, 0);
  int read = 0, written = Tile::kStages - 1;
  const int last_piece = pass.block_pieces[blockIdx.x + 1];
  for (int p = pass.block_pieces[blockIdx.x]; p < last_piece; ++p) {
    typename Tile::Sums sums = {};
    for (int step = pass.pieces[p].steps; step > 0; --step) {
#pragma unroll
      for (int slice = 0; slice < Tile::kSlices; ++slice) {
        const bool last = slice == Tile::kSlices - 1;
        if (last) {  // the next stage has landed, and nobody reads the one before this any more
          loader.enter_piece();
          loader.find_rows();
          wait_copies<Tile::kStages - 2>();
          gpu::sync_threads();
          read = read == Tile::kStages - 1 ? 0 : read + 1;
        }
        Tile::load(fragments[(slice + 1) % 2], from_a + read * Tile::kStageBytes,
                   from_b + read * Tile::kStageBytes, last ? 0 : slice + 1);
        if (slice == 0) {
          loader.copy_rows(written);
          commit_copies();
          written = written == Tile::kStages - 1 ? 0 : written + 1;
        }
        Tile::multiply(sums, fragments[slice % 2]);
      }
    }
    const WgradPiece& piece = pass.pieces[p];
    const GradientTile tile =
        gradient_tile<E>(pass, piece.offset, piece.tile, Tile::kTileM, Tile::kTileN);
#pragma unroll
    for (int g = 0; g < Tile::kGroups; ++g) {
      float values[Tile::kGroupSize];
      Tile::get_group(sums, g, values);
      if (piece.slice < 0)
        Tile::template write<E>(tile, g, values, thread);
      else
        write_slice_group<Tile>(slice_group<Tile>(pass.slices, piece.slice, g, thread), values);
    }
  }
}

}  // namespace spb::plans
