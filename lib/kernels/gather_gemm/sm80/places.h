// SPDX-License-Identifier: Apache-2.0
// Where threads of the asynchronous kernel of fprop and dgrad write to and read from shared memory:
// numbers alone, which tests walk on any machine. What is read for multiplies:
// gpu/mma/warp_tiles_sm80.h.
#pragma once

#include <cstddef>

#include "gpu/mma/warp_tiles_sm80.h"

namespace spb::plans {

/// Copies into a stage. A thread copies the same 16-byte column of every kRowsA-th row of A, and of
/// every kRowsB-th of B.
template <class Tiles>
struct RowCopies {
  static constexpr int kChunksA = Tiles::kRowBytes / 16, kRowsA = Tiles::kThreads / kChunksA;
  static constexpr int kChunksB = Tiles::kRowBytesB / 16, kRowsB = Tiles::kThreads / kChunksB;

  /// Byte offsets in the stage; a thread's first row is thread / kChunksA (of B: kChunksB), its
  /// chunk what is left over.
  static constexpr int to_a(int row, int chunk) {
    return row * Tiles::kRowBytes + gpu::sm80::swizzled(row, chunk, kChunksA) * 16;
  }
  static constexpr int to_b(int row, int chunk) {
    return Tiles::kBytesA + row * Tiles::kRowBytesB + Tiles::chunk_b(row, chunk) * 16;
  }
};

/// A warp's slab: 16 rows of WarpN sums of so many bytes on their way to rows of the output. Rows
/// have a pad, so that what the lanes of a store write lies in different banks: pairs of 16-bit
/// sums of eight rows, or of fp32 sums of four.
template <int WarpN, int Bytes>
struct RowSlab {
  static constexpr int kPitch = WarpN * Bytes + (Bytes == 2 ? 16 : 32);
  static constexpr int kBytes = 16 * kPitch;
  static constexpr int kChunks = WarpN * Bytes / 16;  // of a row

  /// Of the lane's pair of sums of instruction j's 8 columns. Address: a pointer to bytes, or a
  /// number.
  template <class Address>
  static constexpr Address pair(Address slab, int lane, int j, int half) {
    const int row = lane / 4 + half * 8, column = 8 * j + lane % 4 * 2;
    return slab + row * kPitch + column * size_t{Bytes};
  }
  template <class Address>
  static constexpr Address chunk(Address slab, int row, int chunk) {
    return slab + row * kPitch + chunk * 16;
  }
};

}  // namespace spb::plans
