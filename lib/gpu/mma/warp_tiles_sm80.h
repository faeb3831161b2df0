// SPDX-License-Identifier: Apache-2.0
// How tile multiplies from sm_80 on (mma_sm80.cuh) cut a tile into warps, and where in a stage of
// shared memory a thread reads first: numbers alone, which tests walk on any machine.
#pragma once

#include <cstdint>

#include "gpu/mma/swizzle.h"

namespace spb::gpu::sm80 {

enum class LayoutB { depth_contiguous, transposed };

template <int WarpsM, int WarpsN, int WarpM, int WarpN, int ElementBytes, int RowBytes,
          LayoutB Layout, class SumType = float>
struct WarpTiles {
  using Sum = SumType;
  static constexpr int kTileM = WarpsM * WarpM, kTileN = WarpsN * WarpN;
  static constexpr int kWarpM = WarpM, kWarpN = WarpN;
  static constexpr int kElementBytes = ElementBytes, kRowBytes = RowBytes;
  static constexpr int kTileK = RowBytes / ElementBytes;
  static constexpr int kThreads = 32 * WarpsM * WarpsN;
  static constexpr LayoutB kLayoutB = Layout;
  static constexpr int kRowBytesB =
      Layout == LayoutB::depth_contiguous ? RowBytes : kTileN * ElementBytes;
  static constexpr int kBytesA = kTileM * RowBytes, kBytesB = kTileN * RowBytes;
  static constexpr int kTilesM = WarpM / 16, kTilesN = WarpN / 8;
  /// Of the beginning of stages.
  static constexpr int kAlignment = 1024;
  static_assert(kBytesA % kAlignment == 0 && kBytesB % kAlignment == 0 && kRowBytesB <= kAlignment);
  static_assert(Layout == LayoutB::depth_contiguous ||
                (kRowBytesB >= 32 * ElementBytes && ElementBytes > 1));
  static_assert(WarpM % 16 == 0 && WarpN % 16 == 0 && (WarpN & (WarpN - 1)) == 0);
  static_assert(RowBytes == 64 || RowBytes == 128);

  struct Accumulators {
    Sum sum[kTilesM][kTilesN][4];
  };

  static constexpr int warp_row(int thread) { return thread / 32 / WarpsN * WarpM; }
  static constexpr int warp_column(int thread) { return thread / 32 % WarpsN * WarpN; }

  /// Where a chunk of B lies. 32-bit elements are read transposed word by word, four rows of depth
  /// and eight columns at a time, which takes another swizzle.
  static constexpr int chunk_b(int row, int chunk) {
    if (Layout == LayoutB::transposed && ElementBytes == 4) return chunk ^ ((row & 3) << 1);
    return swizzled(row, chunk, kRowBytesB / 16);
  }
};

/// What tensor cores multiply: matrices of 8 rows of 16 bytes, but words where 32-bit elements are
/// transposed.
template <class Tiles>
struct MmaReads : Tiles {
  /// Where a thread's first fragments begin in A and B. Chunks of other slices and columns lie at
  /// this address XOR a constant, because tiles begin at multiples of kAlignment.
  struct Place {
    uint32_t a, b;
  };

  static constexpr Place place(int thread) {
    constexpr int kRow = Tiles::kRowBytes;
    const int lane = thread % 32, half = lane / 16, row = Tiles::warp_row(thread) + lane % 16;
    const int column = Tiles::warp_column(thread);
    Place at{};
    at.a = row * kRow + swizzled(row, half, kRow / 16) * 16;
    if constexpr (Tiles::kLayoutB == LayoutB::depth_contiguous) {
      const int n = column + half * 8 + lane % 8;
      at.b = n * kRow + swizzled(n, lane / 8 % 2, kRow / 16) * 16;
    } else if constexpr (Tiles::kElementBytes == 2) {
      const int k = lane % 16;
      at.b = k * Tiles::kRowBytesB + Tiles::chunk_b(k, column / 8 + half) * 16;
    } else {
      const int k = lane % 4, n = column + lane / 4;
      at.b = k * Tiles::kRowBytesB + Tiles::chunk_b(k, n / 4) * 16 + n % 4 * 4;
    }
    return at;
  }
};

/// What fp32 multiply-adds take: four successive elements of depth, or two of a row of columns.
template <class Tiles>
struct FmaReads : Tiles {
  struct Place {
    uint32_t a, b;  // as of MmaReads
  };

  static constexpr Place place(int thread) {
    constexpr int kRow = Tiles::kRowBytes;
    const int lane = thread % 32, row = Tiles::warp_row(thread) + lane / 4;
    const int n = Tiles::warp_column(thread) + lane % 4 * 2;
    Place at{};
    at.a = row * kRow + swizzled(row, 0, kRow / 16) * 16;
    at.b = Tiles::kLayoutB == LayoutB::depth_contiguous ? n * kRow + swizzled(n, 0, kRow / 16) * 16
                                                        : n * 4;
    return at;
  }
};

}  // namespace spb::gpu::sm80
