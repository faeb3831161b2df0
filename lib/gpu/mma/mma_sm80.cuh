// SPDX-License-Identifier: Apache-2.0
// Tile multiplies of NVIDIA GPUs from sm_80 on, from shared memory that asynchronous copies fill.
//
// A stage holds A as kTileM rows of kRowBytes (depth is contiguous) and B either as kTileN such
// rows (depth_contiguous: weights of fprop) or as kTileK rows of kTileN elements (transposed:
// weights of dgrad). All rows are cut into swizzled chunks of 16 bytes.
//
// A warp owns kWarpM x kWarpN sums. Those of a thread, with group = lane / 4 and pair = lane % 4:
// sum[i][j][r] belongs to row 16 i + group + 8 (r / 2) and column 8 j + 2 pair + r % 2 of the warp.
#pragma once

#include <type_traits>

#include "gpu/mma/sm80.cuh"
#include "gpu/mma/tf32x3_sm80.cuh"
#include "gpu/mma/warp_tiles_sm80.h"

namespace spb::gpu::sm80 {

/// By tensor cores. Fragments are the operands of one instruction's depth, kSlices of which make
/// the depth of a stage.
template <class Atom, int WarpsM, int WarpsN, int WarpM, int WarpN, int RowBytes, LayoutB Layout>
struct MmaSm80 : MmaReads<WarpTiles<WarpsM, WarpsN, WarpM, WarpN, 32 / Atom::kDepth, RowBytes,
                                    Layout, typename Atom::Sum>> {
  using Tiles = WarpTiles<WarpsM, WarpsN, WarpM, WarpN, 32 / Atom::kDepth, RowBytes, Layout,
                          typename Atom::Sum>;
  using Accumulators = typename Tiles::Accumulators;
  using Place = typename MmaReads<Tiles>::Place;
  static constexpr int kSlices = RowBytes / 32;

  struct Fragments {
    uint32_t a[Tiles::kTilesM][4], b[Tiles::kTilesN][2];
  };

  /// Of the stage that begins at `stage`.
  static __device__ void load(Fragments& f, const Place& at, uint32_t stage, int slice) {
    const uint32_t from_a = (stage + at.a) ^ slice * 32;
#pragma unroll
    for (int i = 0; i < Tiles::kTilesM; ++i) load_matrices(f.a[i], from_a + i * 16 * RowBytes);
    const uint32_t b = stage + Tiles::kBytesA + at.b;
    if constexpr (Layout == LayoutB::transposed && Tiles::kElementBytes == 4) {
#pragma unroll
      for (int j = 0; j < Tiles::kTilesN; ++j)
#pragma unroll
        for (int r = 0; r < 2; ++r)
          f.b[j][r] = load_shared_4((b ^ j * 32) + (slice * 8 + r * 4) * Tiles::kRowBytesB);
    } else {
#pragma unroll
      for (int j = 0; j < Tiles::kTilesN; j += 2) {
        uint32_t words[4];
        if constexpr (Layout == LayoutB::depth_contiguous)
          load_matrices(words, (b ^ slice * 32) + j * 8 * RowBytes);
        else
          load_transposed_matrices(words, (b ^ j * 16) + slice * 16 * Tiles::kRowBytesB);
#pragma unroll
        for (int r = 0; r < 4; ++r) f.b[j + r / 2][r % 2] = words[r];
      }
    }
  }

  static __device__ void multiply(Accumulators& accumulators, Fragments& f) {
    if constexpr (std::is_same_v<Atom, AtomTF32x3>) {
      multiply_split(accumulators.sum, f.a, f.b);
    } else {
#pragma unroll
      for (int j = 0; j < Tiles::kTilesN; ++j) Atom::convert(f.b[j]);
#pragma unroll
      for (int i = 0; i < Tiles::kTilesM; ++i) {
        Atom::convert(f.a[i]);
#pragma unroll
        for (int j = 0; j < Tiles::kTilesN; ++j)
          Atom::multiply(accumulators.sum[i][j], f.a[i], f.b[j]);
      }
    }
  }
};

/// By fp32 multiply-adds, in order of depth. Fragments are four deep.
template <int WarpsM, int WarpsN, int WarpM, int WarpN, int RowBytes, LayoutB Layout>
struct FmaSm80 : FmaReads<WarpTiles<WarpsM, WarpsN, WarpM, WarpN, 4, RowBytes, Layout>> {
  using Tiles = WarpTiles<WarpsM, WarpsN, WarpM, WarpN, 4, RowBytes, Layout>;
  using Accumulators = typename Tiles::Accumulators;
  using Place = typename FmaReads<Tiles>::Place;
  static constexpr int kSlices = RowBytes / 16;
  static constexpr int kRows = 2 * Tiles::kTilesM, kColumns = 2 * Tiles::kTilesN;

  struct Fragments {
    uint32_t a[kRows][4], b[kColumns][4];  // four deep each
  };
  static __device__ void load(Fragments& f, const Place& at, uint32_t stage, int slice) {
    const uint32_t from_a = (stage + at.a) ^ slice * 16, b = stage + Tiles::kBytesA + at.b;
#pragma unroll
    for (int i = 0; i < kRows; ++i) load_shared_16(f.a[i], from_a + i * 8 * RowBytes);
#pragma unroll
    for (int j = 0; j < Tiles::kTilesN; ++j) {
      if constexpr (Layout == LayoutB::depth_contiguous) {
        // The two columns' rows are an even one and the next: their swizzles differ in one bit
        // that 128-byte rows have and 64-byte rows do not.
        constexpr int kNext = RowBytes == 128 ? 16 : 0;
        const uint32_t from = b ^ slice * 16;
        load_shared_16(f.b[2 * j], from + j * 8 * RowBytes);
        load_shared_16(f.b[2 * j + 1], (from ^ kNext) + (j * 8 + 1) * RowBytes);
      } else {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          uint32_t words[2];
          load_shared_8(words,
                        (b ^ Tiles::chunk_b(k, 2 * j) * 16) + (slice * 4 + k) * Tiles::kRowBytesB);
          f.b[2 * j][k] = words[0];
          f.b[2 * j + 1][k] = words[1];
        }
      }
    }
  }

  static __device__ void multiply(Accumulators& accumulators, const Fragments& f) {
#pragma unroll
    for (int k = 0; k < 4; ++k)
#pragma unroll
      for (int i = 0; i < kRows; ++i)
#pragma unroll
        for (int j = 0; j < kColumns; ++j) {
          float& sum = accumulators.sum[i / 2][j / 2][i % 2 * 2 + j % 2];
          sum = __fmaf_rn(__uint_as_float(f.a[i][k]), __uint_as_float(f.b[j][k]), sum);
        }
  }
};

}  // namespace spb::gpu::sm80
