// SPDX-License-Identifier: Apache-2.0
// The pipelined kernel of wgrad for NVIDIA GPUs from sm_80 on. The steps of all pieces of a block
// form one stream: while a stage is multiplied, or a finished piece written, copies of the next
// stages are under way. CUDA only.
//
// gw[M, N] = sum over K pairs of gout[K, M] * in[K, N]; S stages.
//
// grid   x = blocks of the schedule, which each walk their pieces
// tile   M 32 to 128 channels of gout, N 32 to 256 of in (with slots, c_in of each), K = 16 | 32 |
//        64 pairs: kWgradTiles in tiles.h
//
// role  warps            registers                  does
// all   WarpsM x WarpsN  what `blocks` per          copies its share of rows and indices; mma of
//                        multiprocessor leave each  WarpM x WarpN; writes these
//
// synchronization       when                        orders
// cp.async.wait_group   once a step, to S - 2 left  the thread's own copies of the next stage
// __syncthreads         after it                    all copies of the next stage before reads, all
//                                                   reads of this one before new copies
//
// shared memory     bytes            layout
// stage [S]         K x (M, padded)  rows of gout, then as many of in; padded by 16 bytes (32 where
//                   K x (N, padded)  elements have 32 bits), so that rows lie in different banks
// step [2 (S - 1)]  (slots + 1)      row indices of a step, in (of each slot) then out: S - 1 steps
//                   x K x 4          ahead of rows
#pragma once

#include "kernels/wgrad/sm80/tiles.cuh"

namespace spb::plans {

/// Brings the rows of one step after the other into shared memory, and their indices into a ring
/// there as many steps earlier again: a row can only be asked for once its index has arrived.
/// WgradCopies says which threads share a row. With Slots > 1 a row of B is the rows of so many
/// neighboring offsets' inputs, and one row of gout is there for all of them.
template <class E, class Tile, bool Aligned, int Slots>
class WgradLoader {
  using Storage = typename E::Storage;
  using Copies = WgradCopies<Tile, sizeof(Storage)>;
  static constexpr int kElements = Copies::kElements, kRowThreads = Copies::kRowThreads;
  static constexpr int kChunksA = Copies::kChunksA, kChunksB = Copies::kChunksB;
  static constexpr int kRowStep = Tile::kThreads / kRowThreads;  // rows that threads load at once
  static constexpr int kRows = Tile::kTileK / kRowStep;          // of a thread
  static_assert(kRows * kRowStep == Tile::kTileK && Copies::kFewest % kRowThreads == 0);

  static constexpr int kAhead = Tile::kStages - 1;      // steps that rows are ahead of their use
  static constexpr int kRingSteps = 2 * kAhead;         // of the ring of indices
  static constexpr int kInRows = Slots * Tile::kTileK;  // of a step of the ring
  static constexpr int kRingRows = kInRows + Tile::kTileK;
  static constexpr int kSlotChunks = kChunksB / Slots;
  static_assert(kSlotChunks * Slots == kChunksB && kSlotChunks % kRowThreads == 0);

 public:
  /// Shared memory: the stages, then the ring.
  static constexpr int kSharedBytes =
      Tile::kStages * Tile::kStageBytes + kRingSteps * kRingRows * int{sizeof(int32_t)};

  /// Fills the ring and the first stages; one group of copies per stage is under way afterwards.
  __device__ WgradLoader(const WgradParams& params, char* shared, int thread)
      : params_(params),
        thread_(thread),
        row_(thread / kRowThreads),
        chunk_(thread % kRowThreads),
        to_a_(Copies::to_a(gpu::sm80::shared_address(shared), row_, chunk_)),
        to_b_(Copies::to_b(to_a_, row_)),
        ring_(reinterpret_cast<int32_t*>(shared + Tile::kStages * Tile::kStageBytes)),
        index_piece_(params.block_pieces[blockIdx.x]),
        row_piece_(index_piece_),
        last_piece_(params.block_pieces[blockIdx.x + 1]) {
    enter_pieces();
    for (int s = 0; s < kRingSteps; ++s) {
      copy_indices();
      enter_pieces();
    }
    gpu::sm80::commit_copies();
    gpu::sm80::wait_copies<0>();
    gpu::sync_threads();
    for (int s = 0; s < kAhead; ++s) {
      copy_rows(s);
      gpu::sm80::commit_copies();
      enter_pieces();
    }
  }

  // Three parts of one job, for the kernel to spread among multiplications. Between two calls of
  // each of the copies lies one of enter_pieces(), the only one that branches.

  /// Queues the copies of the indices of the step after those in the ring; -1 after the last.
  __device__ void copy_indices() {
#pragma unroll
    for (int first = 0; first < kRingRows; first += Tile::kThreads) {
      const int entry = first + thread_;
      if (kRingRows % Tile::kThreads != 0 && entry >= kRingRows) break;
      const bool out = entry >= kInRows;
      const uint32_t at = walk_.at + entry % Tile::kTileK;
      const bool present = at < walk_.end;
      const int offset = Slots > 1 ? entry / Tile::kTileK : 0;  // among the group's
      const bool copied = present && (out ? listed_ : Slots == 1 || offset < in_offsets_);
      int32_t* to = ring_ + index_at_ * kRingRows + entry;
      gpu::sm80::copy_4_if(
          gpu::sm80::shared_address(to),
          out ? out_rows_ + at
              : in_rows_ + int64_t{at} * in_rows_pitch_ + offset * in_offset_pitch_,
          copied);
      if (!copied) *to = present && (Slots == 1 || out) ? static_cast<int32_t>(at) : -1;
    }
    index_at_ = index_at_ == kRingSteps - 1 ? 0 : index_at_ + 1;
    walk_.next(Tile::kTileK);
    index_steps_ -= index_steps_ > 0;
  }

  /// Queues the copies of the next step's rows into a stage; zeros after the last.
  __device__ void copy_rows(int stage) {
    const int32_t* indices = ring_ + row_at_ * kRingRows + row_;
    int32_t in_row[kRows][Slots], out_row[kRows];
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
#pragma unroll
      for (int s = 0; s < Slots; ++s) in_row[i][s] = indices[s * Tile::kTileK + i * kRowStep];
      out_row[i] = indices[kInRows + i * kRowStep];
    }
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      const int place = stage * Tile::kStageBytes;
      // A row without its input adds nothing, so that gout is not read either; of several slots,
      // another one may need it.
      load_row<kChunksA>(to_a_ + place + i * kRowStep * Tile::kPitchA,
                         gout_ + int64_t{out_row[i]} * params_.gout_pitch,
                         (Slots > 1 ? out_row[i] : in_row[i][0]) >= 0, gout_left_);
#pragma unroll
      for (int s = 0; s < Slots; ++s)
        load_row<kSlotChunks>(to_b_ + place + i * kRowStep * Tile::kPitchB + s * kSlotChunks * 16,
                              in_ + int64_t{in_row[i][s]} * params_.in_pitch, in_row[i][s] >= 0,
                              in_left_);
    }
    row_at_ = row_at_ == kRingSteps - 1 ? 0 : row_at_ + 1;
    row_steps_ -= row_steps_ > 0;
  }

  /// Goes on with the next piece where the steps of one are used up.
  __device__ void enter_pieces() {
    while (row_steps_ == 0 && row_piece_ < last_piece_) enter_rows(params_.pieces[row_piece_++]);
    while (index_steps_ == 0 && index_piece_ < last_piece_)
      enter_indices(params_.pieces[index_piece_++]);
    if (index_steps_ == 0) walk_.end = 0;
  }

 private:
  __device__ void enter_rows(const WgradPiece& piece) {
    row_steps_ = piece.steps;
    const int tiles_n = Slots > 1 ? 1 : (params_.c_in + Tile::kTileN - 1) / Tile::kTileN;
    const int co = piece.tile / tiles_n * Tile::kTileM + chunk_ * kElements;
    const int ci = piece.tile % tiles_n * Tile::kTileN + chunk_ * kElements;
    gout_ = static_cast<const Storage*>(params_.gout) + int64_t{piece.group} * params_.c_out + co;
    in_ = static_cast<const Storage*>(params_.in) + int64_t{piece.group} * params_.c_in + ci;
    gout_left_ = params_.c_out - co;
    in_left_ = params_.c_in - ci;
  }

  __device__ void enter_indices(const WgradPiece& piece) {
    walk_ = PairWalk::over(piece);
    index_steps_ = piece.steps;
    if (params_.offset_begin) {
      const int64_t begin = params_.offset_begin[piece.offset];
      in_rows_ = params_.in_index + begin;
      out_rows_ = params_.out_index + begin;
      in_offset_pitch_ = params_.list_entries;
      listed_ = true;
    } else {
      in_rows_ = params_.map + piece.offset * Slots;
      in_rows_pitch_ = params_.kernel_volume;
      in_offsets_ = params_.kernel_volume - piece.offset * Slots;
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

  const WgradParams& params_;
  const int thread_, row_, chunk_;
  const uint32_t to_a_, to_b_;
  int32_t* const ring_;  // [kRingSteps, kRingRows]

  // Of the next step whose indices are asked for.
  int index_piece_, index_steps_ = 0, index_at_ = 0;
  PairWalk walk_;
  const int32_t* in_rows_ = nullptr;
  const int32_t* out_rows_ = nullptr;
  int in_rows_pitch_ = 1;
  bool listed_ = false;  // else rows are their own indices
  // Of several slots: from one to the next, and how many of them the kernel has.
  int64_t in_offset_pitch_ = 1;
  int in_offsets_ = Slots;

  // Of the next step whose rows are asked for.
  int row_piece_, row_steps_ = 0, row_at_ = 0;
  const Storage* gout_ = nullptr;  // [*, c_out]
  const Storage* in_ = nullptr;    // [*, c_in]
  int gout_left_ = 0, in_left_ = 0;

  const int last_piece_;
};

template <class E, class Tile, bool Aligned, int Slots>
__device__ __forceinline__ void compute_wgrad(const WgradParams& params) {
  using namespace gpu::sm80;
  const int thread = static_cast<int>(threadIdx.x);
  char* const shared = gpu::dynamic_shared<char>();
  const uint32_t stages = shared_address(shared);
  const typename Tile::Places places = Tile::places(thread);
  const uint32_t from_a = stages + places.a, from_b = stages + Tile::kBytesA + places.b;

  WgradLoader<E, Tile, Aligned, Slots> loader(params, shared, thread);
  wait_copies<Tile::kStages - 2>();
  gpu::sync_threads();
  loader.copy_indices();  // into the place in the ring that step 0 has left

  // While one of the fragments is multiplied the other is read.
  typename Tile::Fragments fragments[2];
  Tile::load(fragments[0], from_a, from_b, 0);
  int read = 0, written = Tile::kStages - 1;
  const int last_piece = params.block_pieces[blockIdx.x + 1];
  for (int p = params.block_pieces[blockIdx.x]; p < last_piece; ++p) {
    typename Tile::Accumulators accumulators = {};  // (WarpM, WarpN) of a warp
    for (int step = params.pieces[p].steps; step > 0; --step) {
#pragma unroll
      for (int slice = 0; slice < Tile::kSlices; ++slice) {
        const bool last = slice == Tile::kSlices - 1;
        if (last) {  // the next stage has landed, and nobody reads the one before this any more
          loader.enter_pieces();
          loader.copy_indices();
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
        Tile::multiply(accumulators, fragments[slice % 2]);
      }
    }
    const WgradPiece& piece = params.pieces[p];
    const GradientTile tile = gradient_tile<E, Slots>(params, piece.group, piece.offset, piece.tile,
                                                      Tile::kTileM, Tile::kTileN);
#pragma unroll
    for (int g = 0; g < Tile::kGroups; ++g) {
      float values[Tile::kGroupSize];
      Tile::get_group(accumulators, g, values);
      write_group<E, Tile>(params, tile, piece.slice, g, values, thread);
    }
  }
}

/// Grid: x = blocks of the schedule. Dynamic shared memory: WgradLoader::kSharedBytes.
template <class E, class Tile, bool Aligned, int Slots>
GPU_KERNEL void __launch_bounds__(Tile::kThreads, Tile::kBlocks)
    wgrad_sm80_kernel(const __grid_constant__ WgradParams params) {
  gpu::wait_for_earlier_kernels_alone();
  if constexpr (gpu::sm80::kPresent)
    compute_wgrad<E, Tile, Aligned, Slots>(params);
  else
    __trap();
}

}  // namespace spb::plans
