// SPDX-License-Identifier: Apache-2.0
// How the kernel on matrix cores fills its stage: by way of registers, a step ahead.
#pragma once

#include "kernels/gather_gemm/group.cuh"
#include "kernels/gather_gemm/matrix_cores/tiles.h"
#include "kernels/gather_gemm/steps.cuh"
#include "kernels/matrix_cores/stage.cuh"

namespace spb::plans {

/// Of a thread. Wide: rows of the source, and of weights in order of depth, begin at multiples of
/// 16 bytes; without it any row works, element by element. Transposed: weights of dgrad, whose
/// depth is the slower index, are always taken so.
template <class Parts>
class MatrixRowLoader {
  using E = typename Parts::E;
  using Storage = typename E::Storage;
  // Functions name kPlaces for themselves: to nvcc no device has the constants of classes.
  static constexpr int kPerChunk = Parts::kPlaces.chunk_elements();
  static constexpr bool kWholeWeights = Parts::kWide && !Parts::kTransposed;
  static constexpr int kPassesA = Parts::kPlaces.passes_a(), kPassesB = Parts::kPlaces.passes_b();

 public:
  __device__ MatrixRowLoader(const GatherGemmParams& params, const RowLists& lists,
                             const RowSteps& steps, int64_t tile, int column0, int thread)
      : params_(params),
        source_(BlockGroup<true>{params}.template source<Storage>()),
        weights_(BlockGroup<true>{params}.template weights<Storage>()),
        listed_(lists.listed ? lists.listed + steps.first_listed : nullptr),
        blocks_(steps.blocks),
        entry_(steps.first / steps.blocks),
        last_entry_((steps.end - 1) / steps.blocks),
        block_(steps.first % steps.blocks),
        column0_(column0),
        thread_(thread) {
    constexpr MatrixPlaces kPlaces = Parts::kPlaces;
    GPU_UNROLL
    for (int p = 0; p < kPassesA; ++p) {
      const int64_t position = tile * kPlaces.tile_m() + kPlaces.copy(thread, p).row;
      const bool inside = position < params.rows;
      const int64_t row = !inside ? 0 : lists.order ? lists.order[position] : position;
      neighbors_[p] = inside && row >= 0 ? params.map + row * params.kernel_volume : nullptr;
    }
    look_up(entry_);
    begin_entry();
  }

  /// Loads the step into registers and turns to the next one.
  __device__ void fetch() {
    constexpr MatrixPlaces kPlaces = Parts::kPlaces;
    const int c0 = block_ * kPlaces.tile_k();
    GPU_UNROLL
    for (int p = 0; p < kPassesA; ++p) {
      const int k = c0 + kPlaces.copy(thread_, p).chunk * kPerChunk;
      a_[p] = load_chunk<Parts::kWide>(source_ + int64_t{rows_[p] < 0 ? 0 : rows_[p]} * pitch() + k,
                                       1, rows_[p] < 0 ? 0 : params_.k - k);
    }
    const Storage* weights = weights_ + weight_offset_ * params_.weight_offset_pitch;
    GPU_UNROLL
    for (int p = 0; p < kPassesB; ++p) {
      const auto copy = copy_b(p);
      const int k = c0 + copy.chunk * kPerChunk, n = column0_ + copy.row;
      b_[p] = load_chunk<kWholeWeights>(
          weights + k * params_.weight_k_pitch + n * params_.weight_n_pitch, params_.weight_k_pitch,
          n < params_.n ? params_.k - k : 0);
    }
    if (++block_ < blocks_) return;
    block_ = 0;
    ++entry_;
    begin_entry();
  }

  /// Writes what fetch() loaded.
  __device__ void store(MatrixChunk* stage) const {
    constexpr MatrixPlaces kPlaces = Parts::kPlaces;
    GPU_UNROLL
    for (int p = 0; p < kPassesA; ++p) {
      const auto copy = kPlaces.copy(thread_, p);
      stage[kPlaces.at(copy.row, copy.chunk)] = rounded_chunk<E>(a_[p]);
    }
    GPU_UNROLL
    for (int p = 0; p < kPassesB; ++p) {
      const auto copy = copy_b(p);
      stage[kPlaces.at(kPlaces.tile_m() + copy.row, copy.chunk)] = rounded_chunk<E>(b_[p]);
    }
  }

 private:
  __device__ int pitch() const { return BlockGroup<true>{params_}.source_pitch(); }
  __device__ MatrixPlaces::Copy copy_b(int pass) const {
    constexpr MatrixPlaces kPlaces = Parts::kPlaces;
    return Parts::kTransposed ? kPlaces.transposed_copy(thread_, pass)
                              : kPlaces.copy(thread_, pass);
  }

  /// The rows that an entry gathers: asked for an entry ahead.
  __device__ void look_up(int entry) {
    const int at = entry < last_entry_ ? entry : last_entry_;
    next_offset_ = listed_ ? listed_[at] : at;
    GPU_UNROLL
    for (int p = 0; p < kPassesA; ++p)
      next_rows_[p] = neighbors_[p] ? neighbors_[p][next_offset_] : -1;
  }
  __device__ void begin_entry() {
    weight_offset_ = params_.mirrored ? params_.kernel_volume - 1 - next_offset_ : next_offset_;
    GPU_UNROLL
    for (int p = 0; p < kPassesA; ++p) rows_[p] = next_rows_[p];
    look_up(entry_ + 1);
  }

  const GatherGemmParams& params_;
  const Storage *source_, *weights_;
  const int32_t* listed_;
  const int blocks_;
  int entry_;
  const int last_entry_;
  int block_;
  const int column0_, thread_;
  int next_offset_ = 0, weight_offset_ = 0;
  const int32_t* neighbors_[kPassesA];
  int rows_[kPassesA], next_rows_[kPassesA];
  MatrixChunk a_[kPassesA], b_[kPassesB];
};

}  // namespace spb::plans
