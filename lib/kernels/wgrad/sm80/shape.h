// SPDX-License-Identifier: Apache-2.0
// Sizes of a tile of wgrad from sm_80 on, and where its threads write to and read from a stage of
// shared memory: numbers alone, which tests walk on any machine.
#pragma once

#include <cstdint>

namespace spb::plans {

/// `Blocks` run at a time on a multiprocessor.
template <int WarpsM, int WarpsN, int WarpM, int WarpN, int TileK, int Stages, int Blocks,
          int ElementBytes>
struct WgradShape {
  static constexpr int kTileM = WarpsM * WarpM, kTileN = WarpsN * WarpN, kTileK = TileK;
  static constexpr int kStages = Stages, kBlocks = Blocks, kThreads = 32 * WarpsM * WarpsN;
  // Rows are apart by a little more than their length, so that what is read together lies in
  // different banks: 16 bytes of eight rows, or 4 bytes of four rows' eight neighbors.
  static constexpr int kPadding = ElementBytes == 2 ? 16 : 32;
  static constexpr int kPitchA = kTileM * ElementBytes + kPadding;
  static constexpr int kPitchB = kTileN * ElementBytes + kPadding;
  static constexpr int kBytesA = TileK * kPitchA;
  static constexpr int kStageBytes = kBytesA + TileK * kPitchB;

  static constexpr int warp_row(int thread) { return thread / 32 / WarpsN * WarpM; }
  static constexpr int warp_column(int thread) { return thread / 32 % WarpsN * WarpN; }

  /// Byte offsets in A and B of what a thread reads first.
  struct Places {
    int a, b;
  };
  /// For tensor cores: 16-bit elements by ldmatrix, whose lane l addresses row l % 8 of the l /
  /// 8-th of four matrices; others word by word.
  static constexpr Places mma_places(int thread) {
    const int lane = thread % 32;
    if constexpr (ElementBytes == 2) {
      const int a_row = lane / 16 * 8 + lane % 8, b_row = lane / 8 % 2 * 8 + lane % 8;
      const int a = warp_row(thread) + lane / 8 % 2 * 8;
      const int b = warp_column(thread) + lane / 16 * 8;
      return {a_row * kPitchA + a * 2, b_row * kPitchB + b * 2};
    } else {
      const int row = lane % 4, first = lane / 4;
      return {row * kPitchA + (warp_row(thread) + first) * 4,
              row * kPitchB + (warp_column(thread) + first) * 4};
    }
  }
  /// For fp32 multiply-adds: four channels.
  static constexpr Places fma_places(int thread) {
    const int lane = thread % 32;
    return {warp_row(thread) * 4 + lane / 8 * 16, warp_column(thread) * 4 + lane % 8 * 16};
  }
};

/// How threads share the rows of a step: neighbors, eight where there are enough, share a row.
template <class Shape, int ElementBytes>
struct WgradCopies {
  static constexpr int kElements = 16 / ElementBytes;  // of a chunk
  static constexpr int kChunksA = Shape::kTileM / kElements, kChunksB = Shape::kTileN / kElements;
  static constexpr int kFewest = kChunksA < kChunksB ? kChunksA : kChunksB;
  static constexpr int kMost = Shape::kThreads / 8 < 8 ? Shape::kThreads / 8 : 8;
  static constexpr int kShare = kFewest < kMost ? kFewest : kMost;
  static constexpr int kRowThreads =
      Shape::kThreads / Shape::kTileK > kShare ? Shape::kThreads / Shape::kTileK : kShare;

  /// A chunk of A. A thread's first row is thread / kRowThreads, its chunk what is left over.
  static constexpr uint32_t to_a(uint32_t stage, int row, int chunk) {
    return stage + row * Shape::kPitchA + chunk * 16;
  }
  /// The same chunk of B.
  static constexpr uint32_t to_b(uint32_t to_a, int row) {
    return to_a + Shape::kBytesA + row * (Shape::kPitchB - Shape::kPitchA);
  }
};

}  // namespace spb::plans
