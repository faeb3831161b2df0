// SPDX-License-Identifier: Apache-2.0
// Tile multiplies of wgrad for NVIDIA GPUs from sm_80 on. Both operands are gathered rows: a stage
// holds TileK rows of TileM channels of gout (A), then TileK rows of TileN channels of in (B).
// CUDA only.
#pragma once

#include <type_traits>

#include "gpu/mma/sm80.cuh"
#include "gpu/mma/tf32x3_sm80.cuh"
#include "kernels/wgrad/output.cuh"
#include "kernels/wgrad/sm80/shape.h"

namespace spb::plans {

/// Writes `count` neighboring sums from `to` on, those inside of `columns`.
template <class E, int Count>
__device__ void write_sums(typename E::Storage* to, int columns,
                           const float (&accumulators)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i)
    if (i < columns) to[i] = E::store(accumulators[i]);
}

template <class E>
__device__ bool takes_vectors(const GradientTile& tile) {
  constexpr int kElements = 16 / sizeof(typename E::Storage);
  return tile.row_pitch % kElements == 0 && tile.columns % kElements == 0 &&
         reinterpret_cast<uintptr_t>(tile.first) % 16 == 0;
}

/// By tensor cores.
template <class Atom, int WarpsM, int WarpsN, int WarpM, int WarpN, int TileK, int Stages,
          int Blocks>
struct WgradMma
    : WgradShape<WarpsM, WarpsN, WarpM, WarpN, TileK, Stages, Blocks, 32 / Atom::kDepth> {
  using Shape = WgradShape<WarpsM, WarpsN, WarpM, WarpN, TileK, Stages, Blocks, 32 / Atom::kDepth>;
  using Word = std::conditional_t<Atom::kDepth == 16, uint16_t, uint32_t>;
  static constexpr int kTilesM = WarpM / 16, kTilesN = WarpN / 8;
  static constexpr int kSlices = TileK / Atom::kDepth;
  static_assert(kTilesN % 4 == 0 && kSlices % 2 == 0);

  struct Fragments {
    uint32_t a[kTilesM][4], b[kTilesN][2];
  };
  struct Accumulators {
    float sum[kTilesM][kTilesN][4];
  };

  using Places = typename Shape::Places;
  static __device__ Places places(int thread) { return Shape::mma_places(thread); }

  /// `a` and `b`: the thread's places in a stage.
  static __device__ void load(Fragments& f, uint32_t a, uint32_t b, int slice) {
    using namespace gpu::sm80;
    a += slice * Atom::kDepth * Shape::kPitchA;
    b += slice * Atom::kDepth * Shape::kPitchB;
    if constexpr (sizeof(Word) == 2) {
#pragma unroll
      for (int i = 0; i < kTilesM; ++i) load_transposed_matrices(f.a[i], a + i * 32);
#pragma unroll
      for (int j = 0; j < kTilesN; j += 2) {
        uint32_t words[4];
        load_transposed_matrices(words, b + j * 16);
#pragma unroll
        for (int r = 0; r < 4; ++r) f.b[j + r / 2][r % 2] = words[r];
      }
    } else {
#pragma unroll
      for (int i = 0; i < kTilesM; ++i)
#pragma unroll
        for (int r = 0; r < 4; ++r)
          f.a[i][r] = load_shared_4(a + i * 64 + r % 2 * 32 + r / 2 * 4 * Shape::kPitchA);
#pragma unroll
      for (int j = 0; j < kTilesN; ++j)
#pragma unroll
        for (int r = 0; r < 2; ++r) f.b[j][r] = load_shared_4(b + j * 32 + r * 4 * Shape::kPitchB);
    }
  }

  static __device__ void multiply(Accumulators& accumulators, Fragments& f) {
    if constexpr (std::is_same_v<Atom, gpu::sm80::AtomTF32x3>) {
      gpu::sm80::multiply_split(accumulators.sum, f.a, f.b);
    } else {
      if constexpr (sizeof(Word) == 4) {
#pragma unroll
        for (auto& words : f.a) round_words(words);
#pragma unroll
        for (auto& words : f.b) round_words(words);
      }
#pragma unroll
      for (int i = 0; i < kTilesM; ++i)
#pragma unroll
        for (int j = 0; j < kTilesN; ++j) Atom::multiply(accumulators.sum[i][j], f.a[i], f.b[j]);
    }
  }

  // A group: 16 rows by four instructions' columns; sums as the instructions order them.
  static constexpr int kGroups = kTilesM * kTilesN / 4, kGroupSize = 16;
  static __device__ void get_group(const Accumulators& accumulators, int group,
                                   float (&values)[16]) {
#pragma unroll
    for (int v = 0; v < 16; ++v)
      values[v] = accumulators.sum[group / (kTilesN / 4)][group % (kTilesN / 4) * 4 + v / 4][v % 4];
  }

  template <class E>
  static __device__ void write(const GradientTile& tile, int group, const float (&accumulators)[16],
                               int thread) {
    const int lane = thread % 32, pair = lane % 4;
    const int row = Shape::warp_row(thread) + group / (kTilesN / 4) * 16 + lane / 4;
    const int column = Shape::warp_column(thread) + group % (kTilesN / 4) * 32;
    const bool vectors = takes_vectors<E>(tile);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      auto* to = static_cast<typename E::Storage*>(tile.first) + (row + half * 8) * tile.row_pitch +
                 column;
      const bool inside = row + half * 8 < tile.rows;
      if constexpr (sizeof(typename E::Storage) == 2) {
        if (vectors) {  // the same for all threads
          uint32_t words[4];
#pragma unroll
          for (int j = 0; j < 4; ++j)
            words[j] = E::store(accumulators[j * 4 + half * 2]) |
                       static_cast<uint32_t>(E::store(accumulators[j * 4 + half * 2 + 1])) << 16;
          transpose_in_quad(words, pair);
          if (inside && column + pair * 8 < tile.columns)
            *reinterpret_cast<uint4*>(to + pair * 8) = {words[0], words[1], words[2], words[3]};
          continue;
        }
      } else if (vectors) {
#pragma unroll
        for (int j = 0; j < 4; ++j)
          if (inside && column + j * 8 + pair * 2 < tile.columns)
            *reinterpret_cast<float2*>(to + j * 8 + pair * 2) = {
                accumulators[j * 4 + half * 2], accumulators[j * 4 + half * 2 + 1]};
        continue;
      }
      if (!inside) continue;
#pragma unroll
      for (int j = 0; j < 4; ++j)
        write_sums<E, 2>(to + j * 8 + pair * 2, tile.columns - column - j * 8 - pair * 2,
                         {accumulators[j * 4 + half * 2], accumulators[j * 4 + half * 2 + 1]});
    }
  }

 private:
  template <int Words>
  static __device__ void round_words(uint32_t (&words)[Words]) {
#pragma unroll
    for (uint32_t& word : words) word = gpu::sm80::rounded_to_tf32(word);
  }

  /// Word j of lane i becomes word i of lane j, in each four lanes.
  static __device__ void transpose_in_quad(uint32_t (&words)[4], int place) {
#pragma unroll
    for (int distance = 1; distance < 4; distance *= 2) {
      const bool upper = place & distance;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        if (j & distance) continue;
        uint32_t& low = words[j];
        uint32_t& high = words[j + distance];
        const uint32_t received = gpu::shuffle_xor(upper ? low : high, distance);
        (upper ? low : high) = received;
      }
    }
  }
};

/// By fp32 multiply-adds in order of the pairs. A thread owns rows 4 y + {0..3} and 16 + 4 y + ...
/// of its warp's 32, and columns 4 x + {0..3} and 32 + 4 x + ... of its 64.
template <int WarpsM, int WarpsN, int TileK, int Stages, int Blocks>
struct WgradFma : WgradShape<WarpsM, WarpsN, 32, 64, TileK, Stages, Blocks, 4> {
  using Shape = WgradShape<WarpsM, WarpsN, 32, 64, TileK, Stages, Blocks, 4>;
  static constexpr int kSlices = TileK;
  static_assert(kSlices % 2 == 0);

  struct Fragments {
    uint32_t a[2][4], b[2][4];
  };
  struct Accumulators {
    float sum[8][8];
  };
  using Places = typename Shape::Places;
  static __device__ Places places(int thread) { return Shape::fma_places(thread); }
  static __device__ void load(Fragments& f, uint32_t a, uint32_t b, int slice) {
    using namespace gpu::sm80;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      load_shared_16(f.a[i], a + slice * Shape::kPitchA + i * 64);
      load_shared_16(f.b[i], b + slice * Shape::kPitchB + i * 128);
    }
  }
  static __device__ void multiply(Accumulators& accumulators, const Fragments& f) {
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
      for (int j = 0; j < 8; ++j)
        accumulators.sum[i][j] =
            __fmaf_rn(__uint_as_float(f.a[i / 4][i % 4]), __uint_as_float(f.b[j / 4][j % 4]),
                      accumulators.sum[i][j]);
  }

  static constexpr int kGroups = 8, kGroupSize = 8;  // a group is a row
  static __device__ void get_group(const Accumulators& accumulators, int group,
                                   float (&values)[8]) {
#pragma unroll
    for (int j = 0; j < 8; ++j) values[j] = accumulators.sum[group][j];
  }
  template <class E>
  static __device__ void write(const GradientTile& tile, int group, const float (&accumulators)[8],
                               int thread) {
    const int lane = thread % 32;
    const int row = Shape::warp_row(thread) + group / 4 * 16 + lane / 8 * 4 + group % 4;
    const int column = Shape::warp_column(thread) + lane % 8 * 4;
    if (row >= tile.rows) return;
    float* to = static_cast<float*>(tile.first) + row * tile.row_pitch + column;
    const bool vectors = takes_vectors<E>(tile);
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      if (!vectors)
        write_sums<E, 4>(to + j * 32, tile.columns - column - j * 32,
                         {accumulators[j * 4], accumulators[j * 4 + 1], accumulators[j * 4 + 2],
                          accumulators[j * 4 + 3]});
      else if (column + j * 32 < tile.columns)
        *reinterpret_cast<float4*>(to + j * 32) = {accumulators[j * 4], accumulators[j * 4 + 1],
                                                   accumulators[j * 4 + 2],
                                                   accumulators[j * 4 + 3]};
    }
  }
};

}  // namespace spb::plans
