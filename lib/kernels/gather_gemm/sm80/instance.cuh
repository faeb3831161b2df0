// SPDX-License-Identifier: Apache-2.0
// Defines the asynchronous launches of one element type; included by generated files alone.
#pragma once

#include "gpu/mma/atoms_sm80.cuh"
#include "gpu/mma/resident_sm80.cuh"
#include "kernels/gather_gemm/sm80/kernel.cuh"
#include "kernels/gather_gemm/sm80/sm80.h"
#include "kernels/gather_gemm/sm80/tiles.h"
#include "kernels/tiling.h"

namespace spb::plans {

using gpu::sm80::LayoutB;

template <class E, size_t Index, LayoutB Layout>
struct TileMultiplyOf {
  static constexpr Sm80RowTile kTile = kSm80RowTiles[Index];
  using Type = gpu::sm80::MmaSm80<typename gpu::sm80::AtomOf<E>::Type, kTile.warps_m, kTile.warps_n,
                                  kTile.warp_m, kTile.warp_n, kTile.row_bytes, Layout>;
};
template <size_t Index, LayoutB Layout>
struct TileMultiplyOf<gpu::F32, Index, Layout> {
  static constexpr Sm80RowTile kTile = kSm80RowTiles[Index];
  using Type = gpu::sm80::FmaSm80<kTile.warps_m, kTile.warps_n, kTile.warp_m, kTile.warp_n,
                                  kTile.row_bytes, Layout>;
};

template <class E, size_t Index, LayoutB Layout, Sm80RowForm Form>
using PartsOf =
    Sm80RowParts<E, typename TileMultiplyOf<E, Index, Layout>::Type, kSm80RowTiles[Index].stages,
                 kSm80RowTiles[Index].blocks, Form.wide, Form.adds, Form.grouped>;

/// f(PartsOf<...>{}) for the kernel of the index, or nothing where it is not compiled so.
template <class E, LayoutB Layout, size_t Index, class F>
void with_sm80_row_parts(Sm80RowForm form, F&& f) {
  const auto call_if = [&]<Sm80RowForm Form>() {
    if constexpr (has_form(kSm80RowTiles[Index], E::dtype, Form))
      if (form == Form) f(PartsOf<E, Index, Layout, Form>{});
  };
  call_if.template operator()<Sm80RowForm{.wide = true}>();
  call_if.template operator()<Sm80RowForm{.wide = false}>();
  call_if.template operator()<Sm80RowForm{.wide = true, .adds = true}>();
  call_if.template operator()<Sm80RowForm{.wide = false, .adds = true}>();
  call_if.template operator()<Sm80RowForm{.wide = true, .grouped = true}>();
}

template <class E, LayoutB Layout, class F>
void with_sm80_row_parts(int index, Sm80RowForm form, F&& f) {
  [&]<size_t... I>(std::index_sequence<I...>) {
    ((static_cast<size_t>(index) == I ? with_sm80_row_parts<E, Layout, I>(form, f) : void()), ...);
  }
  (std::make_index_sequence<kSm80RowTileCount>());
}

template <bool Transposed>
inline constexpr LayoutB kLayoutOf = Transposed ? LayoutB::transposed : LayoutB::depth_contiguous;

/// Rows of both operands begin at multiples of 16 bytes; of integers also those of outputs.
template <class E>
bool has_wide_rows(const GatherGemmParams& params) {
  constexpr int kPerChunk = 16 / static_cast<int>(sizeof(typename E::Storage));
  const auto aligned = [](const void* p) { return reinterpret_cast<uintptr_t>(p) % 16 == 0; };
  return params.k % kPerChunk == 0 && params.weight_offset_pitch % kPerChunk == 0 &&
         aligned(params.source) && aligned(params.weights) &&
         (!gpu::is_scaled<E> || (aligned(params.out) && aligned(params.epilogue.residual)));
}

template <class E, bool Transposed>
void launch_sm80_row_of(int index, const GatherGemmParams& params, const gpu::Stream& stream) {
  const Sm80RowTile& tile = kSm80RowTiles[index];
  const Sm80RowForm form{has_wide_rows<E>(params), params.atomic, params.groups > 1};
  if (!has_form(tile, E::dtype, form)) no_instance(tile.name, E::dtype);
  with_sm80_row_parts<E, kLayoutOf<Transposed>>(index, form, [&](auto parts) {
    using Parts = decltype(parts);
    using Mma = typename Parts::Mma;
    const int column_tiles = static_cast<int>(tiles_of(params.n, Mma::kTileN));
    const dim3 grid(static_cast<unsigned>(tiles_of(params.rows, Mma::kTileM) * column_tiles),
                    static_cast<unsigned>(params.split), static_cast<unsigned>(params.groups));
    gpu::launch_early(sm80_row_kernel<Parts>, grid, dim3(Mma::kThreads), Parts::kSharedBytes,
                      stream, params, column_tiles);
  });
}

template <class E, bool Transposed>
int sm80_row_blocks_of(int index, Sm80RowForm form) {
  int blocks = 0;
  with_sm80_row_parts<E, kLayoutOf<Transposed>>(index, form, [&](auto parts) {
    using Parts = decltype(parts);
    blocks =
        gpu::resident_blocks<sm80_row_kernel<Parts>>(Parts::Mma::kThreads, Parts::kSharedBytes);
  });
  return blocks;
}

}  // namespace spb::plans

#define SPB_INSTANCE(E, TRANSPOSED)                                                  \
  template void launch_sm80_row_of<gpu::E, TRANSPOSED>(int, const GatherGemmParams&, \
                                                       const gpu::Stream&);          \
  template int sm80_row_blocks_of<gpu::E, TRANSPOSED>(int, Sm80RowForm);
