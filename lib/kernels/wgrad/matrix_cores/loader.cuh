// SPDX-License-Identifier: Apache-2.0
// How wgrad's kernel on AMD's matrix cores fills its stage: by way of registers, a step ahead.
#pragma once

#include "kernels/matrix_cores/stage.cuh"
#include "kernels/wgrad/matrix_cores/places.h"
#include "kernels/wgrad/params.h"

namespace spb::plans {

/// The c-th element of each of a block's rows, which is as wide as it is high.
__device__ __forceinline__ MatrixChunk column_of(const MatrixChunk (&rows)[8], int c) {
  MatrixChunk column = {};
  GPU_UNROLL
  for (int w = 0; w < 4; ++w) {
    const uint32_t low = rows[2 * w][c / 2], high = rows[2 * w + 1][c / 2];
    column[w] = c % 2 == 0 ? (low & 0xFFFF) | high << 16 : low >> 16 | (high & 0xFFFF0000);
  }
  return column;
}
__device__ __forceinline__ MatrixChunk column_of(const MatrixChunk (&rows)[4], int c) {
  MatrixChunk column = {};
  GPU_UNROLL
  for (int w = 0; w < 4; ++w) column[w] = rows[w][c];
  return column;
}

/// Of a thread and a piece. Wide: rows of both operands begin at multiples of 16 bytes, and their
/// channels fill chunks; without it any row works, element by element.
template <class Parts>
class MatrixPairLoader {
  using E = typename Parts::E;
  using Storage = typename E::Storage;
  static constexpr MatrixPlaces kPlaces = Parts::kPlaces;
  static constexpr int kPairs = kPlaces.chunk_elements(), kPasses = block_passes(kPlaces);

 public:
  __device__ MatrixPairLoader(const WgradParams& params, const WgradPiece& piece, int co0, int ci0,
                              int thread)
      : params_(params),
        in_(static_cast<const Storage*>(params.in) + int64_t{piece.group} * params.c_in),
        gout_(static_cast<const Storage*>(params.gout) + int64_t{piece.group} * params.c_out),
        list_begin_(piece.list_begin),
        offset_(piece.offset),
        co0_(co0),
        ci0_(ci0),
        thread_(thread),
        walk_(PairWalk::over(piece)) {
    look_up();
  }

  /// Loads the step into registers and turns to the next one.
  __device__ void fetch() {
    GPU_UNROLL
    for (int p = 0; p < kPasses; ++p) {
      const MatrixBlock block = block_of(kPlaces, thread_, p);
      const Operand of = block.of_b ? Operand(in_, params_.in_pitch, params_.c_in, ci0_)
                                    : Operand(gout_, params_.gout_pitch, params_.c_out, co0_);
      const int channel = of.first + block.line, left = of.channels - channel;
      GPU_UNROLL
      for (int i = 0; i < kPairs; ++i) {
        const int row = rows_[p][i];
        chunks_[p][i] = load_chunk<Parts::kWide>(of.rows + (row < 0 ? 0 : row) * of.pitch + channel,
                                                 1, row < 0 ? 0 : left);
      }
    }
    walk_.next(kPlaces.tile_k());
    look_up();
  }

  /// Writes what fetch() loaded.
  __device__ void store(MatrixChunk* stage) const {
    GPU_UNROLL
    for (int p = 0; p < kPasses; ++p) {
      const MatrixBlock block = block_of(kPlaces, thread_, p);
      GPU_UNROLL
      for (int c = 0; c < kPairs; ++c)
        stage[place_of(kPlaces, block, c)] = rounded_chunk<E>(column_of(chunks_[p], c));
    }
  }

 private:
  /// By value: of a choice between members clang 15 keeps both in memory.
  struct Operand {
    __device__ Operand(const Storage* rows_of, int pitch_of, int channels_of, int first_of)
        : rows(rows_of), pitch(pitch_of), channels(channels_of), first(first_of) {}
    const Storage* rows;
    int64_t pitch;
    int channels, first;
  };

  /// The rows that the next step gathers: asked for a step ahead, behind the last one in vain; -1:
  /// none.
  __device__ void look_up() {
    GPU_UNROLL
    for (int p = 0; p < kPasses; ++p) {
      const MatrixBlock block = block_of(kPlaces, thread_, p);
      GPU_UNROLL
      for (int i = 0; i < kPairs; ++i) {
        const uint32_t at = walk_.at + static_cast<uint32_t>(block.chunk * kPairs + i);
        rows_[p][i] = at < walk_.end ? row_of(at, block.of_b) : -1;
      }
    }
  }
  /// Of pair `at` of the offset. An absent row of `in` leaves out that of gout: NaN are none of its
  /// business.
  __device__ int row_of(uint32_t at, bool of_in) const {
    if (params_.offset_begin)
      return (of_in ? params_.in_index : params_.out_index)[list_begin_ + at];
    const int in = params_.map[int64_t{at} * params_.kernel_volume + offset_];
    return of_in || in < 0 ? in : static_cast<int>(at);
  }

  const WgradParams& params_;
  const Storage *in_, *gout_;
  const int64_t list_begin_;
  const int offset_, co0_, ci0_, thread_;
  PairWalk walk_;
  int rows_[kPasses][kPairs];
  MatrixChunk chunks_[kPasses][kPairs];
};

}  // namespace spb::plans
