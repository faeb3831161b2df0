// SPDX-License-Identifier: Apache-2.0
// What a halo's rows are multiplied by from sm_80 on: mma.sync of 16 rows. CUDA only.
#pragma once

#include "gpu/element.cuh"
#include "gpu/mma/atoms_sm80.cuh"
#include "kernels/gather_gemm/halo/kernel.cuh"

namespace spb::plans {

/// E: gpu::F16 or gpu::BF16. A warp has RowTiles of 16 rows each, which share what it loads of the
/// weights. Of an entry it leaves out those without any neighbor: a group's mask speaks of 64 rows.
template <class E, bool Transposed, int TileN, int TileK, int RowTiles, int Blocks>
struct MmaHaloSums {
  using Element = E;
  static constexpr bool kTransposed = Transposed;
  static constexpr int kTileN = TileN, kTileK = TileK, kRowTiles = RowTiles, kBlocks = Blocks;
  using Atom = typename gpu::sm80::AtomOf<E>::Type;
  static constexpr int kOctets = kTileK / 8, kColumnTiles = kTileN / 8;
  static constexpr int kColumnTilesOfLoad = 4 / kOctets;

  static __device__ void weights_are_there() {}

  /// Adds an entry of a group to the warp's sums. `matrix`(): where the weights of its offset lie.
  template <class Matrix>
  static __device__ __forceinline__ void add(HaloAccumulators (&accumulators)[kRowTiles],
                                             HaloLocals<kRowTiles>& locals, uint32_t halo,
                                             Matrix matrix) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    uint32_t from[kRowTiles];
    bool some[kRowTiles], any = false;
#pragma unroll
    for (int i = 0; i < kRowTiles; ++i) {
      from[i] = HaloPlaces::row(halo, locals.value[i], lane / 16);
      some[i] = __any_sync(~0u, locals.value[i] >= HaloPlaces::kFirstRow);
      any |= some[i];
    }
    locals.next();
    if (!any) return;
    uint32_t b[kColumnTiles][kOctets];
#pragma unroll
    for (int j = 0; j < kColumnTiles; j += kColumnTilesOfLoad) {
      uint32_t words[4];
      load_b(words, HaloWeightPlaces::operand_b<Transposed, kOctets>(matrix(), lane, j));
#pragma unroll
      for (int m = 0; m < 4; ++m) b[j + m / kOctets][m % kOctets] = words[m];
    }
    uint32_t a[kRowTiles][kOctets / 2][4];
#pragma unroll
    for (int i = 0; i < kRowTiles; ++i) {
      if (!some[i]) continue;
#pragma unroll
      for (int k = 0; k < kOctets / 2; ++k) gpu::sm80::load_matrices(a[i][k], from[i] ^ (k << 5));
    }
#pragma unroll
    for (int i = 0; i < kRowTiles; ++i) {
      if (!some[i]) continue;
#pragma unroll
      for (int k = 0; k < kOctets / 2; ++k)
#pragma unroll
        for (int j = 0; j < kColumnTiles; ++j)
          Atom::multiply(reinterpret_cast<float(&)[4]>(accumulators[i][4 * j]), a[i][k],
                         reinterpret_cast<const uint32_t(&)[2]>(b[j][2 * k]));
    }
  }

 private:
  static __device__ void load_b(uint32_t (&words)[4], uint32_t from) {
    if constexpr (Transposed)
      gpu::sm80::load_transposed_matrices(words, from);
    else
      gpu::sm80::load_matrices(words, from);
  }
};

}  // namespace spb::plans
