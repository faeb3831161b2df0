// SPDX-License-Identifier: Apache-2.0
// Defines the launches on matrix cores of one element type; included by generated files alone.
#pragma once

#include <utility>

#include "kernels/gather_gemm/matrix_cores/kernel.cuh"
#include "kernels/gather_gemm/matrix_cores/matrix_cores.h"
#include "kernels/tiling.h"

namespace spb::plans {

template <class E, bool Transposed, size_t Index, bool Wide>
void launch_matrix_row_tile(const GatherGemmParams& params, const gpu::Stream& stream) {
  using Parts = MatrixRowParts<E, Index, Wide, Transposed>;
  constexpr MatrixPlaces kPlaces = Parts::kPlaces;
  const int column_tiles = static_cast<int>(tiles_of(params.n, kPlaces.tile_n()));
  const dim3 grid(static_cast<unsigned>(tiles_of(params.rows, kPlaces.tile_m()) * column_tiles),
                  static_cast<unsigned>(params.split), static_cast<unsigned>(params.groups));
  gpu::launch(matrix_row_kernel<Parts>, grid, dim3(kPlaces.threads()), 0, stream, params,
              column_tiles);
}

/// Whether rows of the source, and of weights in order of depth, begin at multiples of 16 bytes.
template <class E, bool Transposed>
bool has_whole_chunks(const GatherGemmParams& params) {
  constexpr int kPerChunk = 16 / static_cast<int>(sizeof(typename E::Storage));
  const auto aligned = [](const void* p) { return reinterpret_cast<uintptr_t>(p) % 16 == 0; };
  return params.k % kPerChunk == 0 && aligned(params.source) &&
         (Transposed ||
          (params.weight_offset_pitch % kPerChunk == 0 && params.weight_n_pitch % kPerChunk == 0 &&
           params.weight_group_pitch % kPerChunk == 0 && aligned(params.weights)));
}

template <class E, bool Transposed>
void launch_matrix_rows_of(int index, const GatherGemmParams& params, const gpu::Stream& stream) {
  bool launched = false;
  const auto launch_if = [&]<size_t Index>() {
    constexpr MatrixTile kTile = kMatrixRowTiles[Index];
    if constexpr (gpu::is_built_for(kTile.cores) && (kTile.dtypes & dtype_bit(E::dtype)) != 0) {
      if (static_cast<size_t>(index) != Index) return;
      launched = true;
      if (has_whole_chunks<E, Transposed>(params))
        launch_matrix_row_tile<E, Transposed, Index, true>(params, stream);
      else
        launch_matrix_row_tile<E, Transposed, Index, false>(params, stream);
    }
  };
  [&]<size_t... I>(std::index_sequence<I...>) { (launch_if.template operator()<I>(), ...); }
  (std::make_index_sequence<kMatrixRowTileCount>());
  if (!launched) no_instance(kMatrixRowTiles[index].name, E::dtype);
}

}  // namespace spb::plans

#define SPB_INSTANCE(E, TRANSPOSED)                                                     \
  template void launch_matrix_rows_of<gpu::E, TRANSPOSED>(int, const GatherGemmParams&, \
                                                          const gpu::Stream&);
