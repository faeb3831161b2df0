// SPDX-License-Identifier: Apache-2.0
// The steps of wgrad's warpgroup kernels, as a gathering thread walks through them. CUDA only.
#pragma once

#include <cstddef>

#include "gpu/launch.cuh"
#include "kernels/wgrad/params.h"
#include "maps/pairs/group_steps.h"

namespace spb::plans {

/// What consumers need of a piece.
struct alignas(16) WgradPieceSums {
  int32_t steps, offset, tile, slice;
  static __device__ WgradPieceSums of(const WgradParams& params, int piece) {
    static_assert(offsetof(WgradPiece, steps) == 16 && offsetof(WgradPiece, slice) == 28);
    const int4 words = __ldg(reinterpret_cast<const int4*>(params.pieces + piece) + 1);
    return {words.x, words.y, words.z, words.w};
  }
};

/// What a thread gathers in one step.
template <int Slots, int Rows>
struct WgradStep {
  static constexpr int kRows = Rows;
  static constexpr uint32_t kAllSlots = (1u << Slots) - 1;
  bool valid;
  bool whole;  ///< all channels of the tile exist
  int co, ci;  ///< first channels of the tile
  /// Of several slots a byte for each kGroupStep rows, as OffsetGroups::step_slots has them.
  uint32_t listed_slots;
  int out[kRows];  ///< -1: absent
  int in[kRows][Slots];

  /// Bit s: any of the step's rows has slot s.
  __device__ uint32_t slots() const {
    return Slots > 1 ? (listed_slots | listed_slots >> 8) & kAllSlots : kAllSlots;
  }
  __device__ bool has_slot(int s) const { return Slots == 1 || (slots() >> s & 1) != 0; }
};

/// The steps of all pieces of the block, one after the other. The thread's rows of a step are
/// RowStep apart. FetchesAhead: registers are not short.
template <int TileM, int TileN, int TileK, int Slots, int RowStep, bool FetchesAhead>
class WgradWalk {
  using Step = WgradStep<Slots, TileK / RowStep>;
  static constexpr int kRows = Step::kRows;

 public:
  /// `row`: the first of the thread's rows of a step.
  __device__ WgradWalk(const WgradParams& params, int row)
      : params_(params),
        row_(row),
        piece_(params.block_pieces[blockIdx.x]),
        last_piece_(params.block_pieces[blockIdx.x + 1]) {
    fetch();
  }

  /// Asks for the indices of the next step.
  __device__ __forceinline__ void next(Step& step) {
    step.valid = enter_piece();
    if (!step.valid) return;
    step.whole = whole_;
    step.co = co_;
    step.ci = ci_;
    const uint32_t at = walk_.at + row_;
    if (!listed()) {
      ask_map(step, at);
    } else if (walk_.at + TileK <= walk_.end) {
      ask_lists<false>(step, at);
    } else {
      ask_lists<true>(step, at);
    }
    leave_step();
  }
  /// Goes on without asking: another warpgroup's step.
  __device__ __forceinline__ void pass() {
    if (enter_piece()) leave_step();
  }

 private:
  __device__ bool listed() const { return params_.offset_begin != nullptr; }

  template <bool Tail>
  __device__ void ask_lists(Step& step, uint32_t at) const {
    const int32_t* out = out_index_ + at;
    const int32_t* in = in_index_ + at;
    if constexpr (Slots > 1) step.listed_slots = slots_of_step();
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      const bool present = !Tail || at + i * RowStep < walk_.end;
      step.out[i] = present ? __ldg(out + i * RowStep) : -1;
#pragma unroll
      for (int s = 0; s < Slots; ++s)
        step.in[i][s] = present ? __ldg(in + s * params_.list_entries + i * RowStep) : -1;
    }
  }

  __device__ uint32_t slots_of_step() const {
    static_assert(TileK == maps::kGroupStep || TileK == 2 * maps::kGroupStep);
    const uint8_t* from = step_slots_ + walk_.at / maps::kGroupStep;
    uint32_t slots;
    // Into a whole register: what would widen a shorter one waits for the load.
    if constexpr (TileK == maps::kGroupStep)
      asm("ld.global.nc.u8 %0, [%1];" : "=r"(slots) : "l"(from));
    else
      asm("ld.global.nc.u16 %0, [%1];" : "=r"(slots) : "l"(from));
    return slots;
  }

  __device__ void ask_map(Step& step, uint32_t first) const {
    step.listed_slots = Step::kAllSlots;
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      const uint32_t at = first + i * RowStep;
      const bool present = at < walk_.end;
      step.out[i] = present ? static_cast<int>(at) : -1;
      const int32_t* from = params_.map + int64_t{at} * params_.kernel_volume + offset_;
#pragma unroll
      for (int s = 0; s < Slots; ++s)
        step.in[i][s] = present && offset_ + s < params_.kernel_volume ? __ldg(from + s) : -1;
    }
  }

  __device__ bool enter_piece() {
    while (steps_ == 0) {
      if (piece_ == last_piece_) return false;
      const WgradPiece piece = FetchesAhead ? ahead_ : params_.pieces[piece_];
      ++piece_;
      fetch();
      walk_ = PairWalk::over(piece);
      steps_ = piece.steps;
      offset_ = piece.offset * Slots;
      const int tiles_n = Slots > 1 ? 1 : (params_.c_in + TileN - 1) / TileN;
      co_ = piece.tile / tiles_n * TileM;
      ci_ = piece.tile % tiles_n * TileN;
      whole_ = co_ + TileM <= params_.c_out && ci_ + TileN / Slots <= params_.c_in;
      if (!listed()) continue;
      in_index_ = params_.in_index + piece.list_begin;
      out_index_ = params_.out_index + piece.list_begin;
      if constexpr (Slots > 1)
        step_slots_ = params_.step_slots + maps::group_step(piece.list_begin, piece.offset);
    }
    return true;
  }

  __device__ void leave_step() {
    walk_.next(TileK);
    --steps_;
  }

  /// The next piece is on its way while the present one is walked.
  __device__ void fetch() {
    if (FetchesAhead && piece_ < last_piece_) ahead_ = params_.pieces[piece_];
  }

  const WgradParams& params_;
  const int row_;
  int piece_;
  const int last_piece_;
  WgradPiece ahead_;
  PairWalk walk_{};
  const int32_t* in_index_ = nullptr;
  const int32_t* out_index_ = nullptr;
  const uint8_t* step_slots_ = nullptr;
  int steps_ = 0, offset_ = 0, co_ = 0, ci_ = 0;
  bool whole_ = false;
};

}  // namespace spb::plans
