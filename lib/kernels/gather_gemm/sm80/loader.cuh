// SPDX-License-Identifier: Apache-2.0
// How the asynchronous kernel of fprop and dgrad fills its stages: gathered rows, weights, and,
// some steps ahead of both, the row indices that say what to gather.
#pragma once

#include "gpu/mma/mma_sm80.cuh"
#include "kernels/gather_gemm/group.cuh"
#include "kernels/gather_gemm/params.h"
#include "kernels/gather_gemm/sm80/places.h"
#include "kernels/gather_gemm/steps.cuh"

namespace spb::plans {

/// Loads steps in order into stages of shared memory, as RowCopies says. `Wide` takes rows that
/// begin at multiples of 16 bytes and copies them asynchronously; without it any row works, element
/// by element.
///
/// What an entry (a listed offset) gathers is written some entries ahead into a ring of slots:
/// TileM row indices and a Turn. Steps behind the last one load zeros: without a branch, copies can
/// stand between multiplies.
template <class E, class Mma, int Stages, bool Wide, bool Grouped>
class RowLoader {
  using Storage = typename E::Storage;
  static constexpr int kBytes = Mma::kElementBytes, kPerChunk = 16 / kBytes;
  static constexpr bool kTransposed = Mma::kLayoutB == gpu::sm80::LayoutB::transposed;
  using Copies = RowCopies<Mma>;
  static constexpr int kChunksA = Copies::kChunksA, kRowsA = Copies::kRowsA;
  static constexpr int kChunksB = Copies::kChunksB, kRowsB = Copies::kRowsB;
  static constexpr int kPassesA = Mma::kTileM / kRowsA;
  static constexpr int kPassesB = (kTransposed ? Mma::kTileK : Mma::kTileN) / kRowsB;
  /// Rows after which swizzles repeat.
  static constexpr int kPeriodB = kTransposed && kBytes == 4 ? 4 : 8;
  static_assert(kPassesA * kRowsA == Mma::kTileM && kRowsA % 8 == 0);
  static_assert(kPassesB * kRowsB == (kTransposed ? Mma::kTileK : Mma::kTileN));
  static_assert(kRowsB > 0 && kRowsB % kPeriodB == 0);
  static_assert(Mma::kThreads >= Mma::kTileM && sizeof(Storage) == kBytes);

  struct alignas(16) Turn {
    int64_t weight_bytes;  // from the weights to the entry's offset
  };
  static constexpr int kSlotBytes = Mma::kTileM * 4 + static_cast<int>(sizeof(Turn));

 public:
  static constexpr int kStageBytes = Mma::kBytesA + Mma::kBytesB;
  /// A step is one entry at least: as many entries as stages are filled ahead, and as many slots
  /// again keep the fill from what other threads still read.
  static constexpr int kAhead = Stages - 1, kSlots = 2 * kAhead;
  static constexpr int kRingBytes = kSlots * kSlotBytes;

  __device__ RowLoader(const GatherGemmParams& params, const RowLists& lists, const RowSteps& steps,
                       int64_t tile, int column0, int thread, unsigned char* ring)
      : params_(params), ring_(ring), thread_(thread) {
    const int row_a = thread / kChunksA, row_b = thread / kChunksB;
    first_a_ = thread % kChunksA * kPerChunk;
    to_a_ = Copies::to_a(row_a, thread % kChunksA);
    to_b_ = Copies::to_b(row_b, thread % kChunksB);
    const int chunk = thread % kChunksB * kPerChunk;
    const int k = kTransposed ? row_b : chunk, n = column0 + (kTransposed ? chunk : row_b);
    columns_ = params.n - n;
    weights_ = bytes(BlockGroup<Grouped>{params}.template weights<Storage>() +
                     k * params.weight_k_pitch + n * params.weight_n_pitch);
    pitch_b_ =
        static_cast<int>(kTransposed ? params.weight_k_pitch : params.weight_n_pitch) * kBytes;

    steps_ = steps.end - steps.first;
    block_ = steps.first % steps.blocks;
    entry_ = steps.first / steps.blocks;
    last_entry_ = (steps.end - 1) / steps.blocks;
    // Without a list the entry is the offset, and what is read here instead does not matter.
    listed_ = lists.listed ? lists.listed + steps.first_listed : params.map;
    listed_offset_ = listed_[entry_];
    begin_neighbors(lists, tile, steps.first_listed);
  }

  /// Fills the next slot of the ring, if there is another entry.
  __device__ void fill_slot() {
    unsigned char* slot = ring_ + fill_ * kSlotBytes;
    const int offset = params_.listed ? listed_offset_ : entry_;
    const int64_t at = params_.tile_index ? int64_t{entry_} * Mma::kTileM : int64_t{offset};
    const bool some = entry_ <= last_entry_;
    gpu::sm80::copy_4_if(gpu::sm80::shared_address(slot + thread_ * 4), neighbors_ + at,
                         some && neighbors_);
    if (some && thread_ == 0) {
      const int weight_offset = params_.mirrored ? params_.kernel_volume - 1 - offset : offset;
      reinterpret_cast<Turn*>(slot + Mma::kTileM * 4)->weight_bytes =
          weight_offset * params_.weight_offset_pitch * kBytes;
    }
    fill_ = fill_ + 1 == kSlots ? 0 : fill_ + 1;
    ++entry_;
    listed_offset_ = listed_[entry_ < last_entry_ ? entry_ : last_entry_];  // needed an entry later
  }

  /// Turns to the next step; its slot has arrived.
  __device__ void begin_step() {
    if (--steps_ < 0) {
      left_ = 0;
    } else if (left_ > Mma::kTileK) {
      left_ -= Mma::kTileK;
      from_a_ += Mma::kRowBytes;
      from_b_ += kTransposed ? int64_t{Mma::kTileK} * pitch_b_ : int64_t{Mma::kRowBytes};
    } else {
      begin_entry();
    }
  }

  /// Loads part Part of Parts of the step.
  template <int Part, int Parts>
  __device__ void load(uint32_t stage) {
    const int pitch_a = BlockGroup<Grouped>{params_}.source_pitch() * kBytes;
    const int left_a = left_ - first_a_;
    // Rows of B the thread has, less its first, and what they hold of its 16 bytes.
    const int k = thread_ / kChunksB;
    const int left_b = kTransposed ? columns_ : left_ - thread_ % kChunksB * kPerChunk;
    const int rows_b = left_b <= 0 ? 0 : kTransposed ? left_ - k : columns_;
    const auto load_a = [&](int p, int row) {
      // One comparison: an absent row is a large number.
      copy(stage + to_a_ + p * kRowsA * Mma::kRowBytes, from_a_ + int64_t{row} * pitch_a,
           static_cast<unsigned>(row) < (left_a > 0 ? 0x80000000u : 0u), left_a);
    };
    const auto load_b = [&](int p) {
      copy(stage + to_b_ + p * kRowsB * Mma::kRowBytesB, from_b_ + int64_t{p * kRowsB} * pitch_b_,
           p * kRowsB < rows_b, left_b);
    };
    if constexpr (Wide) {
#pragma unroll
      for (int p = Part; p < kPassesA; p += Parts) load_a(p, rows_[p]);
#pragma unroll
      for (int p = Part; p < kPassesB; p += Parts) load_b(p);
    } else {
#pragma unroll 1
      for (int p = Part; p < kPassesA; p += Parts) load_a(p, row_at(p));
#pragma unroll 1
      for (int p = Part; p < kPassesB; p += Parts) load_b(p);
    }
  }

 private:
  static __device__ const char* bytes(const void* p) { return static_cast<const char*>(p); }

  __device__ void begin_entry() {
    slot_ = ring_ + read_ * kSlotBytes;
    const int64_t weight_bytes =
        reinterpret_cast<const Turn*>(slot_ + Mma::kTileM * 4)->weight_bytes;
    slot_ += thread_ / kChunksA * 4;
    if constexpr (Wide)
#pragma unroll
      for (int p = 0; p < kPassesA; ++p) rows_[p] = row_at(p);
    read_ = read_ + 1 == kSlots ? 0 : read_ + 1;
    const int c0 = block_ * Mma::kTileK;
    block_ = 0;  // only the first entry of a slice begins within
    left_ = params_.k - c0;
    from_a_ = bytes(BlockGroup<Grouped>{params_}.template source<Storage>()) +
              int64_t{c0 + first_a_} * kBytes;
    from_b_ = weights_ + weight_bytes + c0 * params_.weight_k_pitch * kBytes;
    fill_slot();
  }

  __device__ int row_at(int p) const {
    return *reinterpret_cast<const int32_t*>(slot_ + p * kRowsA * 4);
  }

  __device__ void begin_neighbors(const RowLists& lists, int64_t tile, int64_t first_listed) {
    if (thread_ >= Mma::kTileM) return;
    const int64_t position = tile * Mma::kTileM + thread_;
    if (position < params_.rows) {
      if (lists.tile_index) {
        neighbors_ = lists.tile_index + first_listed * Mma::kTileM + thread_;
      } else {
        const int64_t row = lists.order ? lists.order[position] : position;
        neighbors_ = params_.map + row * params_.kernel_volume;
      }
    } else {
      for (int i = 0; i < kSlots; ++i)
        *reinterpret_cast<int32_t*>(ring_ + i * kSlotBytes + thread_ * 4) = -1;
    }
  }

  /// The first `elements` elements, if `present`, and zeros up to 16 bytes.
  __device__ void copy(uint32_t to, const char* from, bool present, int elements) {
    if constexpr (Wide) {
      gpu::sm80::copy_16_or_zero(to, from, present);
    } else {
      uint32_t words[4] = {};
#pragma unroll
      for (int i = 0; i < kPerChunk; ++i)
        if (present && i < elements)
          words[i * kBytes / 4] |= bits(reinterpret_cast<const Storage*>(from)[i])
                                   << (i * kBytes % 4 * 8);
      gpu::sm80::store_shared_16(to, words);
    }
  }
  static __device__ uint32_t bits(float value) { return __float_as_uint(value); }
  static __device__ uint32_t bits(uint16_t value) { return value; }

  const GatherGemmParams& params_;
  unsigned char* ring_;
  int thread_;
  // The step being loaded.
  const unsigned char* slot_ = nullptr;  // from the thread's first row on
  int rows_[Wide ? kPassesA : 1];
  const char* from_a_ = nullptr;
  const char* from_b_ = nullptr;
  int left_ = 0;  // of the depth, from the step's first element on
  int steps_, block_, read_ = 0;
  // The thread's share.
  const char* weights_;
  int first_a_, to_a_, to_b_, columns_, pitch_b_;
  // The entry whose slot is filled next.
  const int32_t* neighbors_ = nullptr;  // of the thread's row; null: none
  const int32_t* listed_;
  int entry_, last_entry_, listed_offset_, fill_ = 0;
};

}  // namespace spb::plans
